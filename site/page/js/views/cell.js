/** One cell: its code, its buttons, and which output stands below it. */

import { activityOf, cellAt, isFresh } from "../page-state.js";
import { find, make, setEnabled, setText } from "./dom.js";
import { renderOwnOutput } from "./output.js";

/** @typedef {import("../page-state.js").PageState} PageState */

/**
 * @typedef {object} CellView
 * @property {HTMLElement} section
 * @property {HTMLTextAreaElement} editor
 * @property {HTMLElement} output
 * @property {HTMLElement} saved  The saved output as published; out of the page while another one stands there.
 * @property {HTMLElement} own
 * @property {HTMLButtonElement} choice  Changes between the two.
 * @property {HTMLButtonElement} reset
 */

/**
 * Attach to a readable cell: its code becomes a text field with the same text.
 *
 * @param {HTMLElement} section
 * @param {number} number
 * @returns {CellView}
 */
export function attachCell(section, number) {
    const code = find(section, "[data-code]", HTMLElement);
    const output = find(section, "[data-output]", HTMLElement);
    const editor = make("textarea", {
        "aria-label": `Code of cell ${number}`, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
    });
    editor.value = code.textContent ?? "";
    fitHeight(editor);
    code.replaceChildren(editor);
    const choice = make("button", { type: "button", class: "link output-switch", "data-action": "choose-output" });
    choice.hidden = true;
    output.after(choice);
    return {
        section, editor, output, choice,
        saved: find(output, "[data-saved]", HTMLElement),
        own: make("div", { class: "output-block own" }),
        reset: find(section, "[data-action='reset-cell']", HTMLButtonElement),
    };
}

/**
 * @param {CellView} view
 * @param {PageState} state
 * @param {number} number
 */
export function renderCell(view, state, number) {
    const cell = cellAt(state, number);
    const activity = activityOf(state, number);
    view.section.dataset.phase = activity === "idle" && cell.output?.outcome === "failed" ? "failed" : activity;
    if (view.editor.value !== cell.source) {
        view.editor.value = cell.source;
        fitHeight(view.editor);
    }
    setEnabled(view.reset, cell.source !== cell.published);
    if (cell.output !== null) {
        const outOfDate = cell.output.outcome === "done" && !isFresh(state, number);
        renderOwnOutput(view.own, cell.output, { source: cell.source, outOfDate });
    }
    const shown = cell.output === null || cell.showsSaved ? view.saved : view.own;
    if (shown.parentElement !== view.output) view.output.replaceChildren(shown);
    view.choice.hidden = cell.output === null;
    setText(view.choice, cell.showsSaved ? `Show this tab's output of cell ${number}` : `Show saved output of cell ${number}`);
}

/** Where the browser cannot size a field by its content. @param {HTMLTextAreaElement} editor */
export function fitHeight(editor) {
    editor.rows = editor.value.split("\n").length;
}
