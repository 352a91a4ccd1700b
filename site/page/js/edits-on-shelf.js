/** Where a page's edits lie in this browser: those that are shown, and those set aside. None is written over by another one. */

import { KeptEdits } from "./kept-edits.js";

/**
 * @typedef {import("./kept-edits.js").Edit} Edit
 * @typedef {import("./kept-edits.js").Edits} Edits
 * @typedef {{id: string, source: string, published: string}} Cell
 */

/** A kept edit of whose cell the page has no place carries the time in its id. */
const BESIDE = " ";

export class EditsOnShelf {
    /** What storage holds of each cell, as far as this tab wrote or read it. @type {Map<string, string>} */
    #known = new Map();
    /** What was last refused, so that the same is not tried at every event. */
    #refused = "";

    /** @param {string} key */
    constructor(key) {
        this.kept = new KeptEdits(() => localStorage, `${key} edits`);
        this.aside = new KeptEdits(() => localStorage, `${key} edits set aside`);
    }

    /**
     * The edits that can be shown in these cells. Those made on another published text are set aside.
     *
     * @param {readonly Cell[]} cells
     */
    take(cells) {
        const edits = this.kept.read();
        const mine = cells.filter(({ id }) => edits.has(id));
        const outdated = mine.filter(({ id, published }) => edits.get(id)?.published !== published).map(({ id }) => id);
        if (outdated.length > 0 && this.setAside(picked(edits, outdated))) this.kept.write(new Map(outdated.map((id) => [id, null])));
        const shown = picked(edits, mine.map(({ id }) => id).filter((id) => !outdated.includes(id)));
        for (const [id, { source }] of shown) this.#known.set(id, source);
        return shown;
    }

    /**
     * Keep what differs from what storage holds. What another tab wrote meanwhile is set aside first.
     *
     * @param {readonly Cell[]} cells
     * @returns {string[]}  Ids of the cells of which another tab's text was set aside.
     */
    keep(cells) {
        const changed = cells.filter(({ id, source, published }) => (this.#known.get(id) ?? published) !== source);
        const attempt = changed.map(({ id, source }) => `${id}\n${source}`).join("\n");
        if (changed.length === 0 || (this.kept.trouble !== "" && attempt === this.#refused)) return [];
        const foreign = this.#foreign(changed);
        const savedAt = new Date().toISOString();
        const changes = new Map(changed.map(({ id, source, published }) => [id, source === published ? null : { published, source, savedAt }]));
        const done = this.setAside(foreign) && this.kept.write(changes);
        this.#refused = done ? "" : attempt;
        if (!done) {
            if (this.kept.trouble === "") this.kept.trouble = this.aside.trouble;
            return [];
        }
        for (const { id, source, published } of changed) {
            if (source === published) this.#known.delete(id);
            else this.#known.set(id, source);
        }
        return [...foreign.keys()];
    }

    /**
     * Ids of the cells that another tab has changed since this one last wrote or read them.
     *
     * @param {readonly Cell[]} cells
     */
    changedElsewhere(cells) {
        return [...this.#foreign(cells).keys()];
    }

    /**
     * Put edits where they can be brought back from. What lay there of the same cells stays beside, unless it is what this tab
     * wrote before and another one set aside.
     *
     * @param {Edits} edits
     */
    setAside(edits) {
        if (edits.size === 0) return true;
        const before = this.aside.read();
        /** @type {Edits} */
        const changes = new Map(edits);
        for (const [id, { source }] of edits) {
            const old = before.get(id);
            if (old === undefined || old.source === source || old.source === this.#known.get(id)) continue;
            changes.set(`${id}${BESIDE}${old.savedAt}`, old);
        }
        return this.aside.write(changes);
    }

    /**
     * What is kept and stands in no cell, as a text for the reader; empty when there is none.
     *
     * @param {readonly Cell[]} cells
     */
    textOfTheRest(cells) {
        const ids = new Set(cells.map(({ id }) => id));
        const rest = [...this.kept.read(), ...this.aside.read()].filter(([id]) => !ids.has(id));
        const spoiled = [...this.kept.unreadable, ...this.aside.unreadable];
        return [
            ...rest.map(([id, { source, savedAt }]) => `# cell ${id.split(BESIDE, 1)[0]}, kept on ${savedAt}\n${source}\n`),
            ...spoiled.map(({ text, newer }) => `# kept by ${newer ? "a newer version of this page" : "something else"}\n${text}\n`),
        ].join("\n");
    }

    /** @param {readonly Cell[]} cells */
    #foreign(cells) {
        const stored = this.kept.read();
        const others = cells.filter(({ id, source }) => {
            const there = stored.get(id)?.source;
            return there !== undefined && there !== this.#known.get(id) && there !== source;
        });
        return picked(stored, others.map(({ id }) => id));
    }
}

/**
 * @param {Edits} edits
 * @param {string[]} ids
 * @returns {Edits}
 */
function picked(edits, ids) {
    return new Map(ids.flatMap((id) => {
        const edit = edits.get(id);
        return edit === undefined ? [] : [[id, edit]];
    }));
}
