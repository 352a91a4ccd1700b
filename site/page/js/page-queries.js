/** What the page's state means for a cell. Pure. */

import { cellAt, isFresh, neededBy } from "./page-state.js";
import { isSameProgram } from "./python-tokens.js";

/** @typedef {import("./page-state.js").PageState} PageState */

/**
 * Whether what stands below a cell no longer belongs to what stands in it and above it.
 *
 * @param {PageState} state
 * @param {number} number
 * @returns {boolean}
 */
export function isStale(state, number) {
    const { output, showsSaved } = cellAt(state, number);
    if (output !== null && !showsSaved) return output.outcome === "done" && !isFresh(state, number);
    return [...neededBy(state, number), number].some((needed) => {
        const { source, published } = cellAt(state, needed);
        return !isSameProgram(source, published);
    });
}

/**
 * The line at which the present text of a cell failed.
 *
 * @param {PageState} state
 * @param {number} number
 * @returns {number | null}
 */
export function failingLine(state, number) {
    const { output, source } = cellAt(state, number);
    if (output === null || output.error === null || output.made.at(-1)?.source !== source) return null;
    return output.error.cell === `cell ${number}` ? output.error.line : null;
}

/**
 * Numbers of the cells whose text is not the published one.
 *
 * @param {PageState} state
 * @returns {number[]}
 */
export function editedCells(state) {
    return state.cells.filter(({ source, published }) => source !== published).map(({ number }) => number);
}
