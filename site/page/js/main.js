/** Finds the elements, connects them, and acts: the only file of the page with effects. */

import { attachEditor } from "./editor.js";
import { Cancelled, LabClient } from "./lab-client.js";
import { isAsPublished, notebookText } from "./notebook-file.js";
import { cellAt, cellsToRun, groupToRun, initialState, reduce } from "./page-state.js";
import { assertNever } from "./protocol.js";
import { attachCell, fitHeight, renderCell } from "./views/cell.js";
import { find, setEnabled } from "./views/dom.js";
import { renderFiles } from "./views/files.js";
import { saveFile } from "./views/save-file.js";
import { renderClock, renderStatus } from "./views/status.js";

/**
 * @typedef {import("./page-state.js").PageEvent} PageEvent
 * @typedef {import("./protocol.js").Notice} Notice
 * @typedef {"run-all" | "run-beyond" | "stop" | "restart" | "run-cell" | "reset-cell" | "choose-output"} Action
 */

const RESTART_OFFER_MS = 2000;
const CLOCK_MS = 250;

const root = document.documentElement;
const toolbar = find(document, "[data-toolbar]", HTMLElement);
const stopButton = find(toolbar, "[data-action='stop']", HTMLButtonElement);
const restartButton = find(toolbar, "[data-action='restart']", HTMLButtonElement);
const notebookLink = find(toolbar, "[data-notebook]", HTMLAnchorElement);
const filesSection = find(document, "[data-files]", HTMLElement);
const views = [...document.querySelectorAll("[data-cell]")].map((section, index) => attachCell(/** @type {HTMLElement} */ (section), index + 1));

const client = new LabClient(new URL("../../", import.meta.url).href, crashed);
let state = initialState(views.map((view) => ({ id: view.section.dataset.cell ?? "", group: view.section.dataset.group === "beyond" ? "beyond" : "published", published: view.editor.value })));

/** Notices of the running cell that wait for the next frame. @type {{run: number, notices: Notice[]}} */
let gathered = { run: 0, notices: [] };
let frame = 0;

const missing = whatIsMissing();
if (missing === "") start();
else refuse(missing);

function start() {
    views.forEach((view, index) => {
        const cell = index + 1;
        attachEditor(view.editor, {
            onChange(source) {
                fitHeight(view.editor);
                dispatch({ type: "edited", cell, source });
            },
            onRun(moveOn) {
                run(cellsToRun(state, cell));
                if (moveOn) views[index + 1]?.editor.focus();
            },
        });
    });
    document.addEventListener("click", onClick);
    notebookLink.addEventListener("click", onNotebookClick);
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
    for (const buttons of document.querySelectorAll(".cell .with-scripts, .beyond .with-scripts")) buttons.remove();
    for (const view of views) view.editor.readOnly = true;
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

/** @param {number[]} cells */
function run(cells) {
    dispatch({ type: "run-requested", cells });
}

/** Layer by layer: cancel a download; interrupt a cell and, if it does not listen, offer a restart; or end Python. */
function stop() {
    if (state.python.phase === "loading") {
        client.terminate();
        dispatch({ type: "python-gone", reason: "download-stopped" });
    } else if (state.running !== null && client.canInterrupt) {
        const { run: stopped } = state.running;
        dispatch({ type: "stop-requested" });
        client.interrupt().catch(ignoreCancelled);
        setTimeout(() => dispatch({ type: "restart-offered", run: stopped }), RESTART_OFFER_MS);
    } else if (state.running !== null) {
        client.terminate();
        flushNotices();
        dispatch({ type: "python-gone", reason: "stopped" });
    }
}

function restart() {
    if (state.python.phase === "absent") return;
    client.terminate();
    flushNotices();
    dispatch({ type: "python-gone", reason: "restarted" });
    void load();
}

/** @param {string} reason */
function crashed(reason) {
    console.info("Python ended:", reason);
    client.terminate();
    if (state.python.phase === "loading") dispatch({ type: "load-failed", message: reason });
    else dispatch({ type: "python-gone", reason: "crashed" });
}

/** @param {MouseEvent} event */
function onClick(event) {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    // The second click of a double click is no second wish.
    if (button === null || button.getAttribute("aria-disabled") === "true" || event.detail > 1) return;
    const { action, file } = button.dataset;
    if (file !== undefined) void saveWorkingFile(file);
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
        case "stop":
            return stop();
        case "restart":
            return restart();
        case "run-cell":
            return run(cellsToRun(state, cell));
        case "reset-cell":
            return dispatch({ type: "edited", cell, source: cellAt(state, cell).published });
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

/** @param {string} name */
async function saveWorkingFile(name) {
    try {
        saveFile(name, await client.readFile(name), "application/octet-stream");
    } catch (error) {
        ignoreCancelled(error);
    }
}

/** @param {MouseEvent} event */
function onNotebookClick(event) {
    if (isAsPublished(state.cells)) return;
    event.preventDefault();
    void saveNotebook();
}

async function saveNotebook() {
    const response = await fetch(notebookLink.href);
    const name = notebookLink.pathname.split("/").at(-1) ?? "notebook.ipynb";
    saveFile(name, notebookText(await response.text(), state.cells), "application/x-ipynb+json");
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
    renderFiles(filesSection, state.files);
    setEnabled(stopButton, state.running !== null || state.python.phase === "loading");
    setEnabled(restartButton, state.python.phase !== "absent");
    restartButton.toggleAttribute("data-offered", state.running?.restartOffered === true);
}
