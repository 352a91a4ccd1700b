/** Hand a file to the reader. */

import { make } from "./dom.js";

const REVOKE_AFTER_MS = 60_000;

/**
 * @param {string} name
 * @param {string | ArrayBuffer} content
 * @param {string} type
 */
export function saveFile(name, content, type) {
    const address = URL.createObjectURL(new Blob([content], { type }));
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), REVOKE_AFTER_MS);
}
