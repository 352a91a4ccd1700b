/** One cell: its code, its buttons, and which output stands below it. */

import { createEditor } from "../editor.js";
import { failingLine, isStale } from "../page-queries.js";
import { activityOf, cellAt, isFresh } from "../page-state.js";
import { find, make, setEnabled, setText } from "./dom.js";
import { renderOwnOutput } from "./output.js";

/** @typedef {import("../page-state.js").PageState} PageState */

/**
 * @typedef {object} CellView
 * @property {HTMLElement} section
 * @property {import("../editor.js").Editor} editor
 * @property {HTMLElement} output
 * @property {HTMLElement} saved  The saved output as published; out of the page while another one stands there.
 * @property {HTMLElement} own
 * @property {HTMLButtonElement} choice  Changes between the two.
 * @property {HTMLButtonElement} reset
 * @property {HTMLButtonElement} undo  Takes back what Reset, a setting or a link did.
 * @property {HTMLElement} staleMark  Stands in the saved output's badge.
 * @property {Element | null} verdictPlace  Where the verdict will stand; none where nothing is compared.
 */

/** @typedef {Pick<import("../editor.js").EditorOptions, "onChange" | "onRun" | "loadLibrary" | "complete">} CodeHandlers */

/**
 * Attach to a readable cell: its code can be edited from now on.
 *
 * @param {HTMLElement} section
 * @param {number} number
 * @param {CodeHandlers} handlers
 * @returns {CellView}
 */
export function attachCell(section, number, handlers) {
    const code = find(section, "[data-code]", HTMLElement);
    const output = find(section, "[data-output]", HTMLElement);
    const saved = find(output, "[data-saved]", HTMLElement);
    const reset = find(section, "[data-action='reset-cell']", HTMLButtonElement);
    const undo = make("button", { type: "button", class: "undo", "data-edit-action": "undo", "aria-label": `Undo in cell ${number}` }, "Undo");
    undo.hidden = true;
    reset.after(undo);
    const staleMark = make("span", { class: "stale-mark" });
    saved.querySelector(".badge")?.append(staleMark);
    const choice = make("button", { type: "button", class: "link output-switch", "data-action": "choose-output" });
    choice.hidden = true;
    output.after(choice);
    return {
        section, output, choice, saved, reset, undo, staleMark,
        verdictPlace: saved.querySelector(".verdict-place"),
        editor: createEditor(code, { label: `Code of cell ${number}`, text: code.textContent ?? "", ...handlers }),
        own: make("div", { class: "output-block own" }),
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
    holdPlace(view, activity);
    view.section.dataset.phase = activity === "idle" && cell.output?.outcome === "failed" ? "failed" : activity;
    if (view.editor.text !== cell.source) view.editor.replace(cell.source);
    view.editor.markLine(failingLine(state, number));
    view.undo.hidden = cell.replaced === null;
    const stale = isStale(state, number);
    view.section.toggleAttribute("data-stale", stale);
    setText(view.staleMark, stale ? "; out of date: the code is not the published one" : "");
    if (view.verdictPlace !== null && cell.output !== null) setText(view.verdictPlace, "The verdict stands with this tab's output.");
    setEnabled(view.reset, cell.source !== cell.published);
    if (cell.output !== null) {
        const outOfDate = cell.output.outcome === "done" && !isFresh(state, number);
        renderOwnOutput(view.own, cell.output, outOfDate);
    }
    const shown = cell.output === null || cell.showsSaved ? view.saved : view.own;
    if (shown.parentElement !== view.output) view.output.replaceChildren(shown);
    view.choice.hidden = cell.output === null;
    setText(view.choice, cell.showsSaved ? `Show this tab's output of cell ${number}` : `Show saved output of cell ${number}`);
}

/**
 * While a cell runs its output is no smaller than the one before it: what stands below stays in its place.
 *
 * @param {CellView} view
 * @param {import("../page-state.js").Activity} activity
 */
function holdPlace({ section, output }, activity) {
    const runs = activity === "running" || activity === "stopping";
    const ran = section.dataset.phase === "running" || section.dataset.phase === "stopping";
    if (runs && !ran) output.style.minBlockSize = `${output.offsetHeight}px`;
    if (!runs) output.style.minBlockSize = "";
}
