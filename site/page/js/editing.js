/** What a reader does with the code besides typing and running: undo, settings to try, edits kept and shared. */

import { cellAt } from "./page-state.js";
import { assertNever } from "./protocol.js";
import { ReaderEdits } from "./reader-edits.js";
import { withSetting } from "./study-setting.js";
import { find } from "./views/dom.js";
import { renderEditsBar } from "./views/edits-bar.js";

/**
 * @typedef {import("./page-state.js").PageState} PageState
 * @typedef {import("./page-state.js").PageEvent} PageEvent
 * @typedef {"undo" | "try" | "show-published" | "bring-back" | "copy-link" | "save-rest"} EditAction
 */

export class Editing {
    #getState;
    #dispatch;
    #cellOf;
    #edits;
    #bar = find(document, "[data-edits-bar]", HTMLElement);

    /**
     * @param {object} page
     * @param {() => PageState} page.getState
     * @param {(event: PageEvent) => void} page.dispatch
     * @param {(element: Element) => number} page.cellOf
     */
    constructor({ getState, dispatch, cellOf }) {
        this.#getState = getState;
        this.#dispatch = dispatch;
        this.#cellOf = cellOf;
        this.#edits = new ReaderEdits(getState, dispatch);
    }

    start() {
        this.#edits.restore();
        void this.#edits.takeFromAddress();
        addEventListener("hashchange", () => void this.#edits.takeFromAddress());
        document.addEventListener("click", (event) => {
            const button = event.target instanceof Element ? event.target.closest("button") : null;
            if (button === null || button.getAttribute("aria-disabled") === "true" || event.detail > 1) return;
            const { editAction } = button.dataset;
            if (editAction !== undefined) this.#act(/** @type {EditAction} */ (editAction), button);
        });
    }

    /** After each event: keep what changed, and tell. */
    render() {
        this.#edits.keep();
        renderEditsBar(this.#bar, this.#edits.report());
    }

    /** @param {number} cell */
    reset(cell) {
        const { published } = cellAt(this.#getState(), cell);
        this.#dispatch({ type: "replaced", cells: [{ cell, source: published }], note: `Cell ${cell} holds the published code again. Undo brings yours back.` });
    }

    /**
     * @param {EditAction} action
     * @param {HTMLButtonElement} button
     */
    #act(action, button) {
        switch (action) {
            case "undo":
                return this.#dispatch({ type: "replacement-undone", cell: this.#cellOf(button) });
            case "try":
                return this.#try(button);
            case "show-published":
                return this.#edits.showPublished();
            case "bring-back":
                return this.#edits.bringBack();
            case "save-rest":
                return this.#edits.saveRest();
            case "copy-link":
                return void this.#edits.copyLink();
            default:
                return assertNever(action);
        }
    }

    /** The published settings with one of them changed. @param {HTMLButtonElement} button */
    #try(button) {
        const { setting = "", value = "" } = button.dataset;
        const cell = this.#cellOf(button);
        const source = withSetting(cellAt(this.#getState(), cell).published, setting, value);
        if (source === null) throw new Error(`cell ${cell} has no setting ${setting}`);
        this.#dispatch({ type: "replaced", cells: [{ cell, source }], note: `Cell ${cell} says ${setting} = ${value}. Nothing has run yet; Run all shows what it does.` });
    }
}
