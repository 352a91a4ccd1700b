/** The reader's edits in the browser's storage: read with distrust, written cell by cell, never over what cannot be read. */

import { parseJson } from "./parse-json.js";
import { isJsonObject } from "./protocol.js";

/**
 * @typedef {{published: string, source: string, savedAt: string}} Edit  The published text it was made on, the reader's, when.
 * @typedef {Map<string, Edit>} Edits  By the id of the cell.
 * @typedef {"" | "refused" | "full" | "too-long"} StorageTrouble
 * @typedef {{text: string, newer: boolean}} Unreadable  What lies where our edits would: spoiled, or a newer version's.
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} Shelf
 */

const FORMAT = "replay-lab-edits";
const VERSION = 1;
const MAX_CHARACTERS = 1_000_000;
const PLACES = 5;

export class KeptEdits {
    #openShelf;
    #key;

    /** Why the last reading or writing came to nothing. @type {StorageTrouble} */
    trouble = "";
    /** What is left where it was found. @type {Unreadable[]} */
    unreadable = [];

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
        return this.#attempt((shelf) => this.#find(shelf).edits) ?? new Map();
    }

    /**
     * Change the entries of some cells and leave the others: another tab may have written them.
     *
     * @param {Map<string, Edit | null>} changes
     * @returns {boolean}  Whether it is done.
     */
    write(changes) {
        this.trouble = "";
        this.#attempt((shelf) => {
            const { place, edits } = this.#find(shelf);
            for (const [id, edit] of changes) {
                if (edit === null) edits.delete(id);
                else edits.set(id, edit);
            }
            const text = JSON.stringify({ format: FORMAT, version: VERSION, cells: Object.fromEntries(edits) });
            if (edits.size === 0) shelf.removeItem(place);
            else if (text.length > MAX_CHARACTERS) this.trouble = "too-long";
            else shelf.setItem(place, text);
        });
        return this.trouble === "";
    }

    /** Whether an event tells of what lies here. @param {string | null} key */
    liesAt(key) {
        return key === null || key.startsWith(this.#key);
    }

    /**
     * The first place that holds nothing or what we can read. Others stay as they are: a newer version may want them.
     *
     * @param {Shelf} shelf
     */
    #find(shelf) {
        this.unreadable = [];
        for (let number = 1; number <= PLACES; number += 1) {
            const place = number === 1 ? this.#key : `${this.#key} ${number}`;
            const text = shelf.getItem(place);
            const edits = text === null ? /** @type {Edits} */ (new Map()) : parseEdits(text);
            if (edits !== null) return { place, edits };
            this.unreadable.push({ text: text ?? "", newer: isNewer(text ?? "") });
        }
        throw new Error(`what lies in ${PLACES} places of the storage cannot be read`);
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
            this.trouble = error instanceof DOMException && error.name === "QuotaExceededError" ? "full" : "refused";
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

/** Whether a later version of this page wrote it. @param {string} text */
function isNewer(text) {
    const content = parseJson(text);
    return isJsonObject(content) && content.format === FORMAT && typeof content.version === "number" && content.version > VERSION;
}

/**
 * @param {[string, unknown]} entry
 * @returns {entry is [string, Edit]}
 */
function isEntry(entry) {
    const [, edit] = entry;
    return isJsonObject(edit) && [edit.published, edit.source, edit.savedAt].every((field) => typeof field === "string");
}
