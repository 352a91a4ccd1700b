/** An error of the reader's code: what happened, where, what next; the traceback last. */

import { make } from "./dom.js";

/** @typedef {import("../protocol.js").CellError} CellError */

/**
 * @param {CellError} error
 * @param {string} source  The cell's text when it ran.
 */
export function makeError(error, source) {
    const last = make("p", { class: "error-last" }, `${error.type}: ${error.message}`);
    const box = make("div", { class: "error" }, last);
    if (error.cell !== null && error.line !== null) {
        const line = source.split("\n")[error.line - 1]?.trim() ?? "";
        box.append(make("p", { class: "error-place" }, `Line ${error.line} of ${error.cell}: `, make("code", {}, line)));
    }
    box.append(make("p", { class: "error-next" }, ...withCode(error.hint)));
    if (error.traceback !== "") box.append(make("pre", { class: "traceback", tabindex: "0" }, error.traceback.trimEnd()));
    return box;
}

/** A sentence in which code stands between backticks. @param {string} text */
function withCode(text) {
    return text.split("`").map((part, index) => (index % 2 === 1 ? make("code", {}, part) : part));
}
