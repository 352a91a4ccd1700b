/** Finds the elements, connects them, and acts. */

import { completionsOf } from "./completion.js";
import { Editing } from "./editing.js";
import { Cancelled, LabClient } from "./lab-client.js";
import { attachDownloads } from "./downloads.js";
import { offerOffline } from "./offline-offer.js";
import { cellAt, cellsToRun, groupToRun, initialState, reduce } from "./page-state.js";
import { assertNever } from "./protocol.js";
import { SiteFiles } from "./site-files.js";
import { attachCell, renderCell } from "./views/cell.js";
import { find, setEnabled } from "./views/dom.js";
import { attachEnlarging } from "./views/enlarge.js";
import { renderFiles } from "./views/files.js";
import { attachKeyboardMap } from "./views/keyboard-map.js";
import { renderClock, renderStatus } from "./views/status.js";

/**
 * @typedef {import("./page-state.js").PageEvent} PageEvent
 * @typedef {import("./page-state.js").AbsentReason} AbsentReason
 * @typedef {import("./protocol.js").Notice} Notice
 * @typedef {"run-all" | "run-beyond" | "retry" | "stop" | "restart" | "run-cell" | "reset-cell" | "choose-output"} Action
 */

const RESTART_OFFER_MS = 2000;
/** Without an interrupt buffer, what a cell that awaits gets to end in; one that computes cannot hear. */
const CANCEL_MS = 500;
const CLOCK_MS = 250;
const EDITOR_LIBRARY = "page/vendor/codemirror.js";

const root = document.documentElement;
const toolbar = find(document, "[data-toolbar]", HTMLElement);
const stopButton = find(toolbar, "[data-action='stop']", HTMLButtonElement);
const restartButton = find(toolbar, "[data-action='restart']", HTMLButtonElement);
const retryButton = find(toolbar, "[data-action='retry']", HTMLButtonElement);
const notebookLink = find(toolbar, "[data-notebook]", HTMLAnchorElement);
const filesSection = find(document, "[data-files]", HTMLElement);
const site = new URL("../../", import.meta.url);
const files = new SiteFiles(site.href, find(document, "script[data-manifest]", HTMLScriptElement).dataset.manifest ?? "");
const views = [...document.querySelectorAll("[data-cell]")].map((section, index) => {
    const cell = index + 1;
    return attachCell(/** @type {HTMLElement} */ (section), cell, {
        onChange: (source) => dispatch({ type: "edited", cell, source }),
        loadLibrary: () => files.importScript(EDITOR_LIBRARY),
        complete: (typed) => completionsOf(state, (text) => client.complete(text), typed),
        onRun: (moveOn) => runFromEditor(cell, moveOn),
    });
});

const client = new LabClient(files, crashed);
let state = initialState(views.map((view) => ({ id: view.section.dataset.cell ?? "", group: view.section.dataset.group === "beyond" ? "beyond" : "published", published: view.editor.text })));
const editing = new Editing({ getState: () => state, dispatch, cellOf });

/** Notices of the running cell that wait for the next frame. @type {{run: number, notices: Notice[]}} */
let gathered = { run: 0, notices: [] };
let frame = 0;

const missing = whatIsMissing();
if (missing === "") start();
else refuse(missing);

function start() {
    document.addEventListener("click", onClick);
    for (const approach of ["pointerover", "focusin"]) document.addEventListener(approach, onApproach);
    editing.start();
    attachKeyboardMap();
    attachDownloads({ client, files, getState: () => state, dispatch, cellOf, notebookLink, build: site.pathname.split("/").at(-2) ?? "" });
    attachEnlarging();
    void offerOffline(files, (note) => dispatch({ type: "noted", note }));
    setInterval(() => renderClock(toolbar, state, performance.now()), CLOCK_MS);
    root.dataset.scripts = "";
    render();
}

/** @param {string} reason */
function refuse(reason) {
    root.dataset.scripts = "";
    root.dataset.cannotRun = "";
    const sentence = find(toolbar, "[data-cannot-run]", HTMLElement);
    sentence.textContent = reason;
    sentence.hidden = false;
    for (const buttons of document.querySelectorAll(".cell .with-scripts, .beyond .with-scripts, .edits-bar .with-scripts")) buttons.remove();
    for (const view of views) view.editor.freeze();
}

function whatIsMissing() {
    if (!isSecureContext) return "Everything can be read, but Python cannot be checked over plain http. Open the page over https, or on 127.0.0.1.";
    if (typeof WebAssembly !== "object") return "Everything can be read, but this browser has no WebAssembly, which Python needs.";
    if (typeof Promise.withResolvers !== "function") return "Everything can be read, but this browser is too old to run Python. A current one can.";
    return "";
}

/** @param {PageEvent} event */
function dispatch(event) {
    state = reduce(state, event);
    proceed();
    render();
}

/** Do what the state asks for next. */
function proceed() {
    const [next] = state.queue;
    if (next === undefined || state.running !== null) return;
    if (state.python.phase === "absent" || state.python.phase === "failed") void load();
    else if (state.python.phase === "ready") void runCell(next);
}

async function load() {
    dispatch({ type: "load-started", now: performance.now() });
    const { session } = state;
    try {
        await client.load((notice) => {
            if (notice.type !== "progress" || session !== state.session) return;
            state = reduce(state, { ...notice, type: "load-progress", now: performance.now() });
            scheduleFrame();
        });
        dispatch({ type: "loaded" });
    } catch (error) {
        if (error instanceof Cancelled) return;
        client.terminate();
        dispatch({ type: "load-failed", message: messageOf(error) });
    }
}

/** @param {number} number */
async function runCell(number) {
    dispatch({ type: "cell-started", cell: number, now: performance.now() });
    const run = state.runs;
    const { id, source } = cellAt(state, number);
    gathered = { run, notices: [] };
    try {
        const reply = await client.runCell({ number, id }, source, (notice) => {
            if (gathered.run === run) gathered.notices.push(notice);
            scheduleFrame();
        });
        flushNotices();
        dispatch({ ...reply, type: "cell-ended", run });
        dispatch({ type: "files-listed", files: await client.listFiles() });
    } catch (error) {
        if (!(error instanceof Cancelled)) crashed(messageOf(error));
    }
}

function flushNotices() {
    const { run, notices } = gathered;
    if (notices.length === 0) return;
    gathered = { run, notices: [] };
    state = reduce(state, { type: "output", run, notices });
}

/**
 * @param {number[]} cells
 * @param {number | null} [asked]  The one of them that the reader asked for.
 */
function run(cells, asked = null) {
    dispatch({ type: "run-requested", cells, asked });
}

/**
 * @param {number} cell
 * @param {boolean} moveOn
 */
function runFromEditor(cell, moveOn) {
    run(cellsToRun(state, cell), cell);
    if (moveOn) views[cell]?.editor.focus();
}

/** Layer by layer: cancel a download; interrupt a cell and, if it does not listen, offer a restart; or end Python. */
function stop() {
    if (state.python.phase === "loading") {
        end("download-stopped");
    } else if (state.running !== null) {
        const { run: stopped } = state.running;
        dispatch({ type: "stop-requested" });
        client.interrupt().catch(ignoreCancelled);
        if (client.canInterrupt) setTimeout(() => dispatch({ type: "restart-offered", run: stopped }), RESTART_OFFER_MS);
        else setTimeout(() => endStopped(stopped), CANCEL_MS);
    }
}

/** End Python if a run did not end by itself. @param {number} stopped */
function endStopped(stopped) {
    if (state.running?.run === stopped) end("stopped");
}

/**
 * @param {AbsentReason} reason
 * @param {string} [detail]
 */
function end(reason, detail = "") {
    client.terminate();
    flushNotices();
    dispatch({ type: "python-gone", reason, detail, now: performance.now() });
}

/** What could not begin because Python did not. */
function retry() {
    if (state.python.phase !== "failed") return;
    const { waiting, asked } = state.python;
    if (waiting.length === 0) void load();
    else run(waiting, asked);
    // The button that was pressed goes away.
    stopButton.focus();
}

function restart() {
    if (state.python.phase === "absent") return;
    end("restarted");
    void load();
}

/** @param {string} reason */
function crashed(reason) {
    console.info("Python ended:", reason);
    if (state.python.phase !== "loading") return end("crashed", reason);
    client.terminate();
    dispatch({ type: "load-failed", message: reason });
}

/** Who comes to a Run button will press it soon. @param {Event} event */
function onApproach({ target }) {
    if (target instanceof Element && target.closest("button[data-action^=run]") !== null) client.prepare();
}

/** @param {MouseEvent} event */
function onClick(event) {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    // The second click of a double click is no second wish.
    if (button === null || button.getAttribute("aria-disabled") === "true" || event.detail > 1) return;
    const { action } = button.dataset;
    if (action !== undefined) act(/** @type {Action} */ (action), cellOf(button));
}

/**
 * @param {Action} action
 * @param {number} cell
 */
function act(action, cell) {
    switch (action) {
        case "run-all":
            return run(groupToRun(state, "published"));
        case "run-beyond":
            return run(groupToRun(state, "beyond"));
        case "retry":
            return retry();
        case "stop":
            return stop();
        case "restart":
            return restart();
        case "run-cell":
            return run(cellsToRun(state, cell), cell);
        case "reset-cell":
            return editing.reset(cell);
        case "choose-output":
            return dispatch({ type: "output-chosen", cell, saved: !cellAt(state, cell).showsSaved });
        default:
            return assertNever(action);
    }
}

/** The number of the cell that an element stands in; 0 outside of cells. @param {Element} element */
function cellOf(element) {
    return views.findIndex((view) => view.section.contains(element)) + 1;
}

/** @param {unknown} error */
function ignoreCancelled(error) {
    if (!(error instanceof Cancelled)) throw error;
}

/** @param {unknown} error */
function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}

/** For what comes often: draw it once per frame. */
function scheduleFrame() {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
        frame = 0;
        flushNotices();
        render();
    });
}

function render() {
    root.toggleAttribute("data-busy", state.running !== null || state.python.phase === "loading");
    renderStatus(toolbar, state);
    renderClock(toolbar, state, performance.now());
    views.forEach((view, index) => renderCell(view, state, index + 1));
    editing.render();
    renderFiles(filesSection, state.files);
    setEnabled(stopButton, state.running !== null || state.python.phase === "loading");
    setEnabled(restartButton, state.python.phase !== "absent");
    retryButton.hidden = state.python.phase !== "failed";
    restartButton.toggleAttribute("data-offered", state.running?.restartOffered === true);
}
