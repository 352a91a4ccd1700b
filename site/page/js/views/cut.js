/** Where an output was cut: how much is missing, and how to get at it. */

import { make } from "./dom.js";
import { amount } from "./words.js";

/** @typedef {import("../output-items.js").CutItem} CutItem */

/** What a page shows without freezing, in characters. */
const SHOW_LIMIT = 10_000_000;
const CHUNK = 50_000;

/** @param {CutItem} item */
export function makeCut({ name, characters, keptCharacters }) {
    const notice = make("p", { class: "quiet cut" });
    if (name === "display") {
        notice.append(`${amount(characters)} more values are not shown: a run shows so many.`);
        return notice;
    }
    notice.append(`Output cut here: ${amount(characters)} more characters. `);
    if (keptCharacters === 0) {
        notice.append("They went with Python.");
        return notice;
    }
    if (keptCharacters <= SHOW_LIMIT) notice.append(button("show-output", name, "Show all"), " ");
    notice.append(button("output", name, "Download all"));
    if (keptCharacters < characters) notice.append(` (the first ${amount(keptCharacters)} characters)`);
    return notice;
}

/**
 * The rest of a long text, in pieces that a browser lays out only once they are looked at.
 *
 * @param {string} text
 */
export function makeRest(text) {
    const rest = make("pre", { class: "stream rest", tabindex: "0" });
    for (let start = 0; start < text.length;) {
        const newline = text.lastIndexOf("\n", start + CHUNK);
        const end = newline >= start ? newline + 1 : start + CHUNK;
        rest.append(make("span", { class: "piece" }, text.slice(start, end).replace(/\n$/, "")));
        start = end;
    }
    return rest;
}

/**
 * @param {string} wish
 * @param {string} name
 * @param {string} label
 */
function button(wish, name, label) {
    return make("button", { type: "button", class: "link", "data-save": wish, "data-name": name, "aria-label": `${label} of ${name}` }, label);
}
