/** What the reader takes away: files, whole outputs, the notebook, receipts. */

import { Cancelled } from "./lab-client.js";
import { isAsPublished, notebookText } from "./notebook-file.js";
import { cellAt } from "./page-state.js";
import { assertNever } from "./protocol.js";
import { receiptOf, receiptsOf } from "./receipt.js";
import { saveFile } from "./views/save-file.js";

/**
 * @typedef {import("./page-state.js").PageState} PageState
 * @typedef {import("./page-state.js").PageEvent} PageEvent
 * @typedef {import("./lab-client.js").LabClient} LabClient
 * @typedef {"file" | "files" | "output" | "show-output" | "receipt"} Wish  The values of data-save.
 *
 * @typedef {object} Surroundings
 * @property {LabClient} client
 * @property {import("./site-files.js").SiteFiles} files
 * @property {() => PageState} getState
 * @property {(event: PageEvent) => void} dispatch
 * @property {(element: Element) => number} cellOf  The number of the cell that an element stands in.
 * @property {HTMLAnchorElement} notebookLink
 * @property {string} build
 */

const PLAIN = "text/plain;charset=utf-8";

/** @param {Surroundings} surroundings */
export function attachDownloads(surroundings) {
    document.addEventListener("click", (event) => {
        const button = event.target instanceof Element ? event.target.closest("button[data-save]") : null;
        if (!(button instanceof HTMLButtonElement) || event.detail > 1) return;
        fulfil(surroundings, button).catch((/** @type {unknown} */ error) => {
            // Python may go away at any time; the status line tells.
            if (!(error instanceof Cancelled)) throw error;
        });
    });
    surroundings.notebookLink.addEventListener("click", (event) => {
        if (isAsPublished(surroundings.getState().cells)) return;
        event.preventDefault();
        saveNotebook(surroundings).catch((/** @type {Error} */ error) => {
            surroundings.dispatch({ type: "noted", note: `The notebook with your edits could not be made: ${error.message}` });
        });
    });
}

/**
 * @param {Surroundings} surroundings
 * @param {HTMLButtonElement} button
 */
async function fulfil(surroundings, button) {
    const { client, getState, cellOf } = surroundings;
    const { save, name = "" } = button.dataset;
    const wish = /** @type {Wish} */ (save);
    switch (wish) {
        case "file":
            return saveFile(name.split("/").at(-1) ?? name, await client.readFile(name), "application/octet-stream");
        case "files":
            return saveFile("working-directory.zip", await client.zipFiles(), "application/zip");
        case "output": {
            const { number, id } = cellAt(getState(), cellOf(button));
            return saveFile(`cell-${number}-${name}.txt`, await client.readOutput({ number, id }, name), PLAIN);
        }
        case "show-output":
            return showOutput(surroundings, cellOf(button), name);
        case "receipt": {
            const cell = cellAt(getState(), cellOf(button));
            return saveFile(`receipt-${cell.id}.json`, `${JSON.stringify(receiptOf(cell, circumstances(surroundings)), null, 1)}\n`, "application/json");
        }
        default:
            return assertNever(wish);
    }
}

/**
 * @param {Surroundings} surroundings
 * @param {number} number
 * @param {string} name
 */
async function showOutput({ client, getState, dispatch }, number, name) {
    const { id, output } = cellAt(getState(), number);
    if (output === null) return;
    const text = new TextDecoder().decode(await client.readOutput({ number, id }, name));
    dispatch({ type: "output-completed", run: output.run, name, text });
}

/** @param {Surroundings} surroundings */
async function saveNotebook(surroundings) {
    const { files, getState, notebookLink } = surroundings;
    const published = await files.text(notebookLink.dataset.notebook ?? "");
    const name = notebookLink.pathname.split("/").at(-1) ?? "notebook.ipynb";
    const { cells } = getState();
    const text = notebookText(published, cells, receiptsOf(cells, circumstances(surroundings)));
    saveFile(name, text, "application/x-ipynb+json");
}

/** @param {Surroundings} surroundings */
function circumstances({ build }) {
    return { build, browser: navigator.userAgent, written: new Date().toISOString() };
}
