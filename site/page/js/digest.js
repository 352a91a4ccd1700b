/** What a file must be, and how to say that it is not. */

import { FileTrouble } from "./patient-fetch.js";

const DIGITS_SHOWN = 16;

/** @param {ArrayBuffer | Uint8Array<ArrayBuffer>} bytes */
export async function sha256Of(bytes) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Both digests, as far as a reader compares them.
 *
 * @param {string} sha256
 * @param {string} expected
 */
export function digestsText(sha256, expected) {
    return `SHA-256 ${sha256.slice(0, DIGITS_SHOWN)}…, expected ${expected.slice(0, DIGITS_SHOWN)}…`;
}

/**
 * Another copy may be whole: a browser's own is passed by, the next time.
 *
 * @param {string} path
 * @param {string} difference
 */
export function wrongFile(path, difference) {
    return new FileTrouble(`${path} is not the file this page was built with (${difference}). Nothing of it was used. If it stays, the site's copy is damaged`, true);
}
