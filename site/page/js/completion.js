/** Which names can follow what was typed: those of the cells' texts and, once Python runs, of its namespace. */

import { namesIn } from "./python-tokens.js";

/** @typedef {import("./page-state.js").PageState} PageState */

/**
 * @param {PageState} state
 * @param {(typed: string) => Promise<string[]>} askPython
 * @param {string} typed  Perhaps dotted.
 * @returns {Promise<string[]>}
 */
export async function completionsOf(state, askPython, typed) {
    const idle = state.python.phase === "ready" && state.running === null;
    const written = typed.includes(".") ? [] : state.cells.flatMap(({ source }) => namesIn(source)).filter((name) => name.startsWith(typed));
    return [...new Set([...written, ...(idle ? await asked(askPython, typed) : [])])];
}

/**
 * Python may go away before it answers; the names in the texts are enough then.
 *
 * @param {(typed: string) => Promise<string[]>} askPython
 * @param {string} typed
 */
async function asked(askPython, typed) {
    try {
        return await askPython(typed);
    } catch (error) {
        console.info("Python completed nothing", error);
        return [];
    }
}
