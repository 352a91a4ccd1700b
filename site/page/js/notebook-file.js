/** The published notebook with the reader's edits and outputs in it. Pure. */

import { putBackText } from "./views/put-back.js";

/**
 * @typedef {import("./page-state.js").CellState} CellState
 * @typedef {import("./page-state.js").Output} Output
 * @typedef {{id?: string, cell_type: string, source: string | string[], outputs?: unknown[], execution_count?: number | null}} NotebookCell
 * @typedef {{cells: NotebookCell[], metadata: {replay_lab?: Record<string, unknown>}}} Notebook
 */

/**
 * Whether the published file is what the reader has before them.
 *
 * @param {CellState[]} cells
 */
export function isAsPublished(cells) {
    return cells.every((cell) => cell.source === cell.published && cell.output === null);
}

/**
 * @param {string} published  The published file.
 * @param {CellState[]} cells
 * @param {object[]} receipts  Of what was compared.
 * @returns {string}
 */
export function notebookText(published, cells, receipts) {
    const notebook = /** @type {Notebook} */ (JSON.parse(published));
    for (const cell of cells) {
        const target = notebook.cells.find((candidate) => candidate.id === cell.id);
        if (target === undefined) throw new Error(`the published notebook has no cell ${cell.id}`);
        if (cell.source !== cell.published) target.source = Array.isArray(target.source) ? lines(cell.source) : cell.source;
        if (cell.output !== null) {
            target.outputs = outputsOf(cell.output);
            target.execution_count = cell.output.run;
        } else if (cell.source !== cell.published) {
            // The saved output belongs to the published text only.
            target.outputs = [];
            target.execution_count = null;
        }
    }
    if (receipts.length > 0) notebook.metadata.replay_lab = { ...notebook.metadata.replay_lab, receipts };
    return `${JSON.stringify(notebook, null, 1)}\n`;
}

/**
 * @param {Output} output
 * @returns {unknown[]}
 */
function outputsOf({ items, error }) {
    /** @type {unknown[]} */
    const outputs = items.map((item) => {
        switch (item.kind) {
            case "stream":
                return { output_type: "stream", name: streamName(item.name), text: lines(item.text) };
            case "cut":
                return { output_type: "stream", name: streamName(item.name), text: [`\n[${item.characters} more left out]\n`] };
            case "put-back":
                return { output_type: "stream", name: "stderr", text: [putBackText(item)] };
            case "display":
                return { output_type: "display_data", data: item.data, metadata: item.metadata };
        }
    });
    if (error !== null) {
        outputs.push({ output_type: "error", ename: error.type, evalue: error.message, traceback: error.traceback.trimEnd().split("\n") });
    }
    return outputs;
}

/** @param {string} text */
function lines(text) {
    return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** What is no stream here is the text of a value. @param {string} name */
function streamName(name) {
    return name === "stderr" ? "stderr" : "stdout";
}
