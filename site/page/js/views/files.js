/** The files of Python's working directory. */

import { make } from "./dom.js";
import { size } from "./words.js";

/** @typedef {import("../protocol.js").FileEntry} FileEntry */

/** @type {WeakMap<Element, FileEntry[]>} */
const shownBy = new WeakMap();

/**
 * @param {HTMLElement} section
 * @param {FileEntry[]} files
 */
export function renderFiles(section, files) {
    if (shownBy.get(section) === files) return;
    shownBy.set(section, files);
    section.hidden = files.length === 0;
    const rows = files.map(({ name, sizeBytes }) => row(name, sizeBytes, `Download ${name}`, { "data-save": "file", "data-name": name }));
    const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (files.length > 1) rows.push(row("All as one zip file", total, "Download all files", { "data-save": "files" }));
    section.querySelector("[data-files-list]")?.replaceChildren(...rows);
}

/**
 * @param {string} name
 * @param {number} bytes
 * @param {string} label
 * @param {Record<string, string>} wish
 */
function row(name, bytes, label, wish) {
    return make(
        "li", {},
        make("span", { class: "name" }, name),
        make("span", { class: "size" }, size(bytes)),
        make("button", { type: "button", class: "link", "aria-label": label, ...wish }, "Download"),
    );
}
