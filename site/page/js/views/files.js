/** The files of Python's working directory. */

import { find, make } from "./dom.js";
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
    find(section, "[data-files-list]", HTMLElement).replaceChildren(...files.map(({ name, sizeBytes }) => make(
        "li", {},
        make("span", {}, name),
        make("span", { class: "size" }, size(sizeBytes)),
        make("button", { type: "button", class: "link", "data-file": name, "aria-label": `Download ${name}` }, "Download"),
    )));
}
