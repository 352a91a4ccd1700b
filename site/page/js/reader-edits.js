/** The reader's edits beyond one visit: kept in the browser, set aside, brought back, carried by a link. */

import { carriesEdits, editsIn, fragmentOf, MAX_LINK_CHARACTERS } from "./edits-link.js";
import { KeptEdits } from "./kept-edits.js";
import { editedCells } from "./page-queries.js";
import { cellNames } from "./views/words.js";

/**
 * @typedef {import("./page-state.js").PageState} PageState
 * @typedef {import("./page-state.js").PageEvent} PageEvent
 * @typedef {import("./kept-edits.js").Edit} Edit
 * @typedef {import("./kept-edits.js").Edits} Edits
 * @typedef {import("./kept-edits.js").StorageTrouble} StorageTrouble
 *
 * @typedef {"here" | "kept" | "link"} Origin  Typed now, found in this browser, or come with an address.
 *
 * @typedef {object} EditsReport  What the bar above the cells tells.
 * @property {number[]} edited
 * @property {Origin} origin
 * @property {string} since  When the edits found in this browser were made; ISO, or empty.
 * @property {StorageTrouble} trouble
 * @property {boolean} unreadableLink
 * @property {{cells: number[], since: string, outdated: boolean} | null} aside  Outdated ones were made on another published text.
 */

export class ReaderEdits {
    #getState;
    #dispatch;
    #kept;
    #aside;
    /** What storage holds of each cell, as far as this tab wrote or read it. @type {Map<string, string>} */
    #synced = new Map();
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
        const key = `replay-lab ${new URL(".", location.href).pathname}`;
        this.#kept = new KeptEdits(() => localStorage, `${key} edits`);
        this.#aside = new KeptEdits(() => localStorage, `${key} edits set aside`);
    }

    /** Show what this browser kept. Edits of a text that is no longer the published one are set aside, not shown. */
    restore() {
        const edits = this.#kept.read();
        /** @type {Edits} */
        const outdated = new Map();
        for (const { id, number, published } of this.#getState().cells) {
            const edit = edits.get(id);
            if (edit === undefined) continue;
            if (edit.published === published) {
                this.#synced.set(id, edit.source);
                this.#origin = "kept";
                this.#since = latest(this.#since, edit.savedAt);
                this.#dispatch({ type: "edited", cell: number, source: edit.source });
            } else outdated.set(id, edit);
        }
        if (outdated.size > 0) {
            this.#aside.write(outdated);
            if (this.#aside.trouble === "") this.#kept.write(emptied(outdated));
        }
        this.#readAside();
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
            this.#setAside(taken.map(({ cell }) => cell));
            this.#origin = "link";
            const older = taken.some(({ cell, published }) => cells[cell - 1]?.published !== published);
            this.#dispatch({
                type: "replaced",
                cells: taken,
                note: `This link's text of ${cellNames(taken.map(({ cell }) => cell))} is shown and has not run.${older ? " It was made for another published text." : ""}`,
            });
        } else this.#dispatch({ type: "noted", note: "The edits in this address cannot be read. Nothing of them is shown." });
        // A reload shows what is kept; where nothing is kept, the address stays the copy.
        if (this.#kept.trouble === "") history.replaceState(history.state, "", location.pathname + location.search);
    }

    /** Keep what has changed. Called after each event. */
    keep() {
        /** @type {Map<string, Edit | null>} */
        const changes = new Map();
        const savedAt = new Date().toISOString();
        for (const { id, source, published } of this.#getState().cells) {
            if ((this.#synced.get(id) ?? published) === source) continue;
            this.#synced.set(id, source);
            changes.set(id, source === published ? null : { published, source, savedAt });
        }
        if (changes.size > 0) this.#kept.write(changes);
        if (editedCells(this.#getState()).length === 0) this.#origin = "here";
    }

    /** @returns {EditsReport} */
    report() {
        return {
            edited: editedCells(this.#getState()),
            origin: this.#origin,
            since: this.#since,
            trouble: this.#kept.trouble,
            unreadableLink: this.#unreadableLink,
            aside: this.#asideReport,
        };
    }

    /** Put the published text into every cell and the reader's aside. */
    showPublished() {
        const { cells } = this.#getState();
        const edited = editedCells(this.#getState());
        this.#setAside(edited);
        this.#dispatch({
            type: "replaced",
            cells: cells.filter(({ number }) => edited.includes(number)).map(({ number, published }) => ({ cell: number, source: published })),
            note: `The published code is back in ${cellNames(edited)}. Your edits are set aside.`,
        });
    }

    /** Change what is shown with what was set aside. */
    bringBack() {
        const aside = this.#aside.read();
        const back = this.#getState().cells.flatMap(({ id, number }) => {
            const edit = aside.get(id);
            return edit === undefined ? [] : [{ id, cell: number, source: edit.source }];
        });
        if (back.length === 0) return;
        this.#aside.write(new Map(back.map(({ id }) => [id, null])));
        this.#setAside(back.map(({ cell }) => cell));
        this.#origin = "kept";
        this.#dispatch({ type: "replaced", cells: back, note: `Your edits of ${cellNames(back.map(({ cell }) => cell))} are shown again.` });
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

    /** Put the reader's text of these cells where it can be brought back from. @param {number[]} numbers */
    #setAside(numbers) {
        const savedAt = new Date().toISOString();
        const edits = this.#getState().cells.filter(({ number, source, published }) => numbers.includes(number) && source !== published);
        if (edits.length > 0) this.#aside.write(new Map(edits.map(({ id, source, published }) => [id, { source, published, savedAt }])));
        this.#readAside();
    }

    #readAside() {
        const aside = this.#aside.read();
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
 * @param {Edits} edits
 * @returns {Map<string, null>}
 */
function emptied(edits) {
    return new Map([...edits.keys()].map((id) => [id, null]));
}
