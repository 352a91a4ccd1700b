/** The receipt of a comparison: what ran, where, and what was found, as JSON to keep. Pure. */

/**
 * @typedef {import("./page-state.js").CellState} CellState
 * @typedef {{build: string, browser: string, written: string}} Circumstances
 */

/**
 * @param {CellState} cell
 * @param {Circumstances} circumstances
 * @returns {object | null}  Null where nothing was compared.
 */
export function receiptOf({ id, output }, { build, browser, written }) {
    if (output === null || output.agreement === null) return null;
    return {
        format: "replay-lab-receipt",
        version: 1,
        written,
        build,
        browser,
        cell: id,
        elapsed_ms: Math.round(output.elapsedMs),
        made_by: output.made.map(({ id: cellId, source, asPublished }) => ({ cell: cellId, as_published: asPublished, source })),
        verdict: output.agreement,
    };
}

/**
 * @param {CellState[]} cells
 * @param {Circumstances} circumstances
 */
export function receiptsOf(cells, circumstances) {
    return cells.map((cell) => receiptOf(cell, circumstances)).filter((receipt) => receipt !== null);
}
