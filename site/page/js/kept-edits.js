/** The reader's edits in the browser's storage: read with distrust, written cell by cell. */

import { parseJson } from "./parse-json.js";
import { isJsonObject } from "./protocol.js";

/**
 * @typedef {{published: string, source: string, savedAt: string}} Edit  The published text it was made on, the reader's, when.
 * @typedef {Map<string, Edit>} Edits  By the id of the cell.
 * @typedef {"" | "refused" | "unreadable"} StorageTrouble
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} Shelf
 */

const FORMAT = "replay-lab-edits";
const VERSION = 1;
const MAX_CHARACTERS = 1_000_000;

export class KeptEdits {
    #openShelf;
    #key;

    /** @type {StorageTrouble} */
    trouble = "";

    /**
     * @param {() => Shelf} openShelf  Asking alone can throw, where a browser keeps nothing.
     * @param {string} key
     */
    constructor(openShelf, key) {
        this.#openShelf = openShelf;
        this.#key = key;
    }

    /** @returns {Edits} */
    read() {
        const text = this.#attempt((shelf) => shelf.getItem(this.#key));
        if (text === undefined || text === null) return new Map();
        const edits = parseEdits(text);
        if (edits === null) this.trouble = "unreadable";
        return edits ?? new Map();
    }

    /**
     * Change the entries of some cells and leave the others: another tab may have written them.
     *
     * @param {Map<string, Edit | null>} changes
     */
    write(changes) {
        const edits = this.read();
        for (const [id, edit] of changes) {
            if (edit === null) edits.delete(id);
            else edits.set(id, edit);
        }
        const text = JSON.stringify({ format: FORMAT, version: VERSION, cells: Object.fromEntries(edits) });
        this.trouble = "";
        if (text.length > MAX_CHARACTERS) this.trouble = "refused";
        else if (edits.size === 0) this.#attempt((shelf) => shelf.removeItem(this.#key));
        else this.#attempt((shelf) => shelf.setItem(this.#key, text));
    }

    /**
     * @template T
     * @param {(shelf: Shelf) => T} act
     * @returns {T | undefined}
     */
    #attempt(act) {
        try {
            return act(this.#openShelf());
        } catch (error) {
            console.info("edits are not kept", error);
            this.trouble = "refused";
            return undefined;
        }
    }
}

/**
 * @param {string} text
 * @returns {Edits | null}  Null when this is not what we write.
 */
export function parseEdits(text) {
    const content = parseJson(text);
    if (!isJsonObject(content) || content.format !== FORMAT || content.version !== VERSION || !isJsonObject(content.cells)) return null;
    const entries = Object.entries(content.cells);
    return entries.every(isEntry) ? new Map(entries) : null;
}

/**
 * @param {[string, unknown]} entry
 * @returns {entry is [string, Edit]}
 */
function isEntry(entry) {
    const [, edit] = entry;
    return isJsonObject(edit) && [edit.published, edit.source, edit.savedAt].every((field) => typeof field === "string");
}
