/** What a run shows, piece by piece, as notices arrive. Pure. */

import { assertNever } from "./protocol.js";

/**
 * @typedef {import("./protocol.js").Notice} Notice
 * @typedef {import("./protocol.js").JsonObject} JsonObject
 *
 * @typedef {{kind: "stream", name: string, text: string}} StreamItem
 * @typedef {{kind: "display", data: JsonObject, metadata: JsonObject}} DisplayItem
 * @typedef {{kind: "cut", name: string, characters: number}} CutItem
 * @typedef {StreamItem | DisplayItem | CutItem} OutputItem
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
            return [...items, { kind: "cut", name: notice.name, characters: notice.characters }];
        case "progress":
            return items;
        default:
            return assertNever(notice);
    }
}
