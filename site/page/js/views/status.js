/** The one status line, the clock beside it and the bar below it. */

import { assertNever } from "../protocol.js";
import { find, setText } from "./dom.js";
import { cellNames, megabytes, seconds } from "./words.js";

/** @typedef {import("../page-state.js").PageState} PageState */
/** @typedef {import("../page-state.js").AbsentReason} AbsentReason */

/** @type {Record<AbsentReason, string>} */
const ABSENT = {
    never: "Saved results shown. Nothing has been downloaded.",
    "download-stopped": "Download stopped. Saved results shown; Run starts it again.",
    stopped: "Python was ended to stop the cell; its variables and files are gone. Run starts a new one.",
    restarted: "Python was ended; its variables and files are gone. Run starts a new one.",
    crashed: "Python ended unexpectedly; its variables and files are gone. Run starts a new one.",
};

/**
 * @param {HTMLElement} toolbar
 * @param {PageState} state
 */
export function renderStatus(toolbar, state) {
    const status = find(toolbar, "[data-status]", HTMLElement);
    const idle = state.running === null && state.python.phase !== "loading";
    const note = idle ? state.note : "";
    setText(status, note || statusText(state));
    status.dataset.tone = note === "" && isTrouble(state) ? "differs" : "plain";
    const bar = find(toolbar, "[data-progress]", HTMLProgressElement);
    const { python } = state;
    const progress = state.running?.progress ?? null;
    const loading = python.phase === "loading" && python.totalBytes > 0;
    bar.max = loading ? python.totalBytes : progress?.total ?? 1;
    bar.value = loading ? python.loadedBytes : progress?.done ?? 0;
    bar.setAttribute("aria-label", progress === null ? "Bytes of Python downloaded" : "Parts that have run");
    bar.setAttribute("aria-hidden", String(!loading && progress === null));
}

/**
 * The part of the study that runs and the seconds since what happens now began; outside of the live region, or it would never fall silent.
 *
 * @param {HTMLElement} toolbar
 * @param {PageState} state
 * @param {number} now
 */
export function renderClock(toolbar, state, now) {
    const since = state.running?.since ?? (state.python.phase === "loading" ? state.python.since : null);
    const progress = state.running?.progress ?? null;
    const part = progress === null ? "" : `${progress.running}, ${progress.done + 1} of ${progress.total} · `;
    setText(find(toolbar, "[data-clock]", HTMLElement), since === null ? "" : `${part}${Math.floor((now - since) / 1000)} s`);
}

/** @param {PageState} state */
export function statusText(state) {
    const { python, running, last } = state;
    switch (python.phase) {
        case "absent":
            return absentText(python) + notRun(state);
        case "loading":
            return loadingText(python) + waiting(state);
        case "failed":
            return `Python could not be started: ${python.message.replace(/\.$/, "")}. Retry goes on with what is here.`;
        case "ready":
            break;
        default:
            return assertNever(python);
    }
    if (running !== null) {
        if (running.restartOffered) return `Cell ${running.cell} does not stop by itself. Restart Python ends it; variables and files will be gone.`;
        return `${running.stopping ? "Stopping" : "Running"} cell ${running.cell}${purpose(state, running.cell)}.${waiting(state)}`;
    }
    if (last === null) return "Python is ready.";
    switch (last.outcome) {
        case "done":
            return `Cell ${last.cell} finished in ${seconds(last.elapsedMs)}. Python is ready.${notRun(state)}`;
        case "failed":
            return `Cell ${last.cell} failed; the reason is in its output.${notRun(state)}`;
        case "interrupted":
            return `Cell ${last.cell} was stopped; variables are kept.${notRun(state)}`;
        default:
            return assertNever(last.outcome);
    }
}

/** @param {import("../page-state.js").LoadingPython} python */
function loadingText({ text, loadedBytes, totalBytes }) {
    if (totalBytes === 0) return `${text}.`;
    if (loadedBytes < totalBytes) return `${text}. ${megabytes(loadedBytes)} of ${megabytes(totalBytes)} MB are here.`;
    return `${text}. All ${megabytes(totalBytes)} MB are here.`;
}

/** @param {import("../page-state.js").AbsentPython} python */
function absentText({ reason, detail }) {
    return detail === "" ? ABSENT[reason] : ABSENT[reason].replace(";", ` (${detail});`);
}

/**
 * Why a cell runs that the reader did not ask for.
 *
 * @param {PageState} state
 * @param {number} cell
 */
function purpose({ asked }, cell) {
    return asked === null || asked === cell ? "" : `, which cell ${asked} needs`;
}

/** @param {PageState} state */
function waiting({ queue }) {
    return queue.length === 0 ? "" : ` Next: ${cellNames(queue)}.`;
}

/** @param {PageState} state */
function notRun({ last }) {
    if (last === null || last.notRun.length === 0) return "";
    const names = cellNames(last.notRun);
    return ` ${names.charAt(0).toUpperCase()}${names.slice(1)} did not run.`;
}

/** @param {PageState} state */
function isTrouble({ python, last, running }) {
    const crashed = python.phase === "absent" && python.reason === "crashed";
    return crashed || python.phase === "failed" || running?.restartOffered === true || (running === null && last?.outcome === "failed");
}
