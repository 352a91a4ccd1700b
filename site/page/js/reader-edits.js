/** The reader's edits beyond one visit: kept in the browser, set aside, brought back, carried by a link. */

import { carriesEdits, editsIn, fragmentOf, MAX_LINK_CHARACTERS } from "./edits-link.js";
import { EditsOnShelf } from "./edits-on-shelf.js";
import { editedCells } from "./page-queries.js";
import { saveFile } from "./views/save-file.js";
import { cellNames } from "./views/words.js";

/**
 * @typedef {import("./page-state.js").PageState} PageState
 * @typedef {import("./page-state.js").PageEvent} PageEvent
 * @typedef {import("./kept-edits.js").StorageTrouble} StorageTrouble
 *
 * @typedef {"here" | "kept" | "link"} Origin  Typed now, found in this browser, or come with an address.
 *
 * @typedef {object} EditsReport  What the bar above the cells tells.
 * @property {number[]} edited
 * @property {Origin} origin
 * @property {string} since  When the edits found in this browser were made; ISO, or empty.
 * @property {StorageTrouble} trouble
 * @property {"" | "spoiled" | "newer"} unreadable  What else lies in this browser.
 * @property {boolean} rest  Whether edits are kept that stand in no cell.
 * @property {number[]} elsewhere  Cells that another tab has changed since.
 * @property {boolean} unreadableLink
 * @property {{cells: number[], since: string, outdated: boolean} | null} aside  Outdated ones were made on another published text.
 */

export class ReaderEdits {
    #getState;
    #dispatch;
    #shelf;
    #rest = "";
    /** @type {number[]} */
    #elsewhere = [];
    /** @type {Origin} */
    #origin = "here";
    #since = "";
    #unreadableLink = false;
    /** @type {EditsReport["aside"]} */
    #asideReport = null;

    /**
     * @param {() => PageState} getState
     * @param {(event: PageEvent) => void} dispatch
     */
    constructor(getState, dispatch) {
        this.#getState = getState;
        this.#dispatch = dispatch;
        // Two copies of this site on one host keep apart.
        this.#shelf = new EditsOnShelf(`replay-lab ${new URL(".", location.href).pathname}`);
    }

    /** Show what this browser kept. Edits of a text that is no longer the published one are set aside, not shown. */
    restore() {
        const { cells } = this.#getState();
        for (const [id, edit] of this.#shelf.take(cells)) {
            this.#origin = "kept";
            this.#since = latest(this.#since, edit.savedAt);
            this.#dispatch({ type: "edited", cell: numberOf(cells, id), source: edit.source });
        }
        this.#lookAround();
        addEventListener("storage", ({ key }) => this.#hearOtherTab(key));
    }

    /** @param {string | null} key */
    #hearOtherTab(key) {
        if (!this.#shelf.kept.liesAt(key)) return;
        const { cells } = this.#getState();
        const before = this.#elsewhere.length;
        this.#elsewhere = this.#shelf.changedElsewhere(cells).map((id) => numberOf(cells, id));
        this.#lookAround();
        const note = this.#elsewhere.length > before ? `Another tab of this page has changed ${cellNames(this.#elsewhere)}. This tab still shows its own text.` : this.#getState().note;
        this.#dispatch({ type: "noted", note });
    }

    /** Show the edits that this page's address carries, if any. Nothing runs; the reader's own are set aside. */
    async takeFromAddress() {
        if (!carriesEdits(location.hash)) return;
        const linked = await editsIn(location.hash);
        const { cells } = this.#getState();
        const taken = cells.flatMap(({ id, number }) => {
            const edit = linked?.get(id);
            return edit === undefined ? [] : [{ cell: number, source: edit.source, published: edit.published }];
        });
        this.#unreadableLink = taken.length === 0;
        if (taken.length > 0) {
            if (!this.#setAside(taken.map(({ cell }) => cell))) {
                this.#dispatch({ type: "noted", note: "The edits of this address are not shown: this browser would not set yours aside." });
                return;
            }
            this.#origin = "link";
            const older = taken.some(({ cell, published }) => cells[cell - 1]?.published !== published);
            this.#dispatch({
                type: "replaced",
                cells: taken,
                note: `This link's text of ${cellNames(taken.map(({ cell }) => cell))} is shown and has not run.${older ? " It was made for another published text." : ""}`,
            });
        } else this.#dispatch({ type: "noted", note: "The edits in this address cannot be read. Nothing of them is shown." });
        // A reload shows what is kept; where nothing is kept, the address stays the copy.
        if (this.#shelf.kept.trouble === "") history.replaceState(history.state, "", location.pathname + location.search);
    }

    /** Keep what has changed. Called after each event. */
    keep() {
        const { cells } = this.#getState();
        if (this.#shelf.keep(cells).length > 0) {
            this.#elsewhere = [];
            this.#lookAround();
        }
        if (editedCells(this.#getState()).length === 0) this.#origin = "here";
    }

    /** @returns {EditsReport} */
    report() {
        const unreadable = [...this.#shelf.kept.unreadable, ...this.#shelf.aside.unreadable];
        return {
            edited: editedCells(this.#getState()),
            origin: this.#origin,
            since: this.#since,
            trouble: this.#shelf.kept.trouble,
            unreadable: unreadable.length === 0 ? "" : unreadable.some(({ newer }) => newer) ? "newer" : "spoiled",
            rest: this.#rest !== "",
            elsewhere: this.#elsewhere,
            unreadableLink: this.#unreadableLink,
            aside: this.#asideReport,
        };
    }

    /** Put the published text into every cell and the reader's aside. */
    showPublished() {
        const { cells } = this.#getState();
        const edited = editedCells(this.#getState());
        if (!this.#setAside(edited)) {
            this.#dispatch({ type: "noted", note: "This browser would not set your edits aside, so they stay. Reset brings the published code back, cell by cell." });
            return;
        }
        this.#dispatch({
            type: "replaced",
            cells: cells.filter(({ number }) => edited.includes(number)).map(({ number, published }) => ({ cell: number, source: published })),
            note: `The published code is back in ${cellNames(edited)}. Your edits are set aside.`,
        });
    }

    /** Change what is shown with what was set aside. */
    bringBack() {
        const aside = this.#shelf.aside.read();
        const back = this.#getState().cells.flatMap(({ id, number }) => {
            const edit = aside.get(id);
            return edit === undefined ? [] : [{ id, cell: number, source: edit.source }];
        });
        if (back.length === 0) return;
        this.#shelf.aside.write(new Map(back.map(({ id }) => [id, null])));
        if (!this.#setAside(back.map(({ cell }) => cell))) {
            this.#shelf.setAside(aside);
            this.#dispatch({ type: "noted", note: "This browser would not set the text shown now aside, so it stays." });
            return;
        }
        this.#origin = "kept";
        this.#dispatch({ type: "replaced", cells: back, note: `Your edits of ${cellNames(back.map(({ cell }) => cell))} are shown again.` });
    }

    /** Hand over what is kept and stands in no cell. */
    saveRest() {
        saveFile("edits-not-shown.txt", this.#rest, "text/plain");
    }

    async copyLink() {
        this.#dispatch({ type: "noted", note: await this.#copied() });
    }

    /** @returns {Promise<string>}  What came of it. */
    async #copied() {
        const { cells } = this.#getState();
        const edited = cells.filter(({ source, published }) => source !== published);
        const fragment = await fragmentOf(new Map(edited.map(({ id, published, source }) => [id, { published, source }])));
        if (fragment.length > MAX_LINK_CHARACTERS) {
            return `A link would have ${fragment.length.toLocaleString("en")} characters, more than many programs pass on. Download the notebook instead.`;
        }
        const address = location.href.replace(/#.*$/s, "") + fragment;
        const whose = `your edits of ${cellNames(edited.map(({ number }) => number))}`;
        try {
            await navigator.clipboard.writeText(address);
            return `Link copied. It shows ${whose} and runs nothing.`;
        } catch {
            history.replaceState(history.state, "", address);
            return `The browser refused to copy. The address of this page now carries ${whose}: copy it there.`;
        }
    }

    /** Put the reader's text of these cells where it can be brought back from; whether that is done. @param {number[]} numbers */
    #setAside(numbers) {
        const savedAt = new Date().toISOString();
        const edits = this.#getState().cells.filter(({ number, source, published }) => numbers.includes(number) && source !== published);
        const done = this.#shelf.setAside(new Map(edits.map(({ id, source, published }) => [id, { source, published, savedAt }])));
        this.#lookAround();
        return done;
    }

    /** See what lies in this browser beside what is shown. */
    #lookAround() {
        this.#rest = this.#shelf.textOfTheRest(this.#getState().cells);
        const aside = this.#shelf.aside.read();
        const cells = this.#getState().cells.filter(({ id }) => aside.has(id));
        this.#asideReport = cells.length === 0 ? null : {
            cells: cells.map(({ number }) => number),
            since: cells.map(({ id }) => aside.get(id)?.savedAt ?? "").reduce(latest),
            outdated: cells.some(({ id, published }) => aside.get(id)?.published !== published),
        };
    }
}

/**
 * Of two ISO times.
 *
 * @param {string} one
 * @param {string} other
 */
function latest(one, other) {
    return one > other ? one : other;
}

/**
 * @param {import("./page-state.js").CellState[]} cells
 * @param {string} id
 */
function numberOf(cells, id) {
    return cells.findIndex((cell) => cell.id === id) + 1;
}
