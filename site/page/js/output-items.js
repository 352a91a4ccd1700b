/** What a run shows, piece by piece, as notices arrive. Pure. */

import { assertNever } from "./protocol.js";

/**
 * @typedef {import("./protocol.js").Notice} Notice
 * @typedef {import("./protocol.js").JsonObject} JsonObject
 *
 * @typedef {{kind: "stream", name: string, text: string}} StreamItem
 * @typedef {{kind: "display", data: JsonObject, metadata: JsonObject}} DisplayItem
 * @typedef {{kind: "cut", name: string, characters: number, keptCharacters: number}} CutItem
 * @typedef {{kind: "put-back", names: string[], more: number}} PutBackItem
 * @typedef {StreamItem | DisplayItem | CutItem | PutBackItem} OutputItem
 */

/**
 * @param {OutputItem[]} items
 * @param {Notice} notice
 * @returns {OutputItem[]}
 */
export function withNotice(items, notice) {
    const last = items.at(-1);
    switch (notice.type) {
        case "stream":
            return last?.kind === "stream" && last.name === notice.name
                ? [...items.slice(0, -1), { ...last, text: last.text + notice.text }]
                : [...items, { kind: "stream", name: notice.name, text: notice.text }];
        case "display":
            return [...items, { kind: "display", data: notice.data, metadata: notice.metadata }];
        case "cut":
            return [...items, { kind: "cut", name: notice.name, characters: notice.characters, keptCharacters: notice.keptCharacters }];
        case "put-back":
            return [...items, { kind: "put-back", names: notice.names, more: notice.more }];
        case "progress":
        case "study-progress":
            return items;
        default:
            return assertNever(notice);
    }
}

/**
 * The items with the whole of a text, where the beginning and a notice of the cut stood.
 *
 * @param {OutputItem[]} items
 * @param {string} name
 * @param {string} text  From its beginning.
 * @returns {OutputItem[]}
 */
export function withWholeText(items, name, text) {
    const printed = items.reduce((total, item) => total + (item.kind === "stream" && item.name === name ? item.text.length : 0), 0);
    return items.map((item, index) => {
        if (item.kind !== "cut" || item.name !== name) return item;
        const before = items[index - 1];
        const shown = before?.kind === "display" ? `${typeof before.data["text/plain"] === "string" ? before.data["text/plain"] : ""}`.length : printed;
        return { kind: "stream", name, text: text.slice(shown) };
    });
}

/**
 * The items once Python has forgotten what it kept of their texts.
 *
 * @param {OutputItem[]} items
 * @returns {OutputItem[]}
 */
export function withoutKept(items) {
    return items.map((item) => (item.kind === "cut" ? { ...item, keptCharacters: 0 } : item));
}
