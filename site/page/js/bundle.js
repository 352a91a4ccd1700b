/**
 * Many files in one: a table of paths, sizes and SHA-256 in front, then the contents, each at a multiple of 16.
 *
 * The whole is checked against the manifest before it gets here; the table lets any single file be checked as well.
 *
 * @typedef {{path: string, sha256: string, content: Uint8Array<ArrayBuffer>}} BundledFile
 * @typedef {{
 *   mkdirTree(path: string): void,
 *   writeFile(path: string, content: Uint8Array, options: {canOwn: boolean}): void,
 * }} Folders
 */

import { parseJson } from "./parse-json.js";

const MAGIC = "RLBUNDL1";
const FRONT = 12;

/** The bytes are no bundle, or a damaged one. */
export class BundleError extends Error {}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {BundledFile[]}  Views of the bundle's own bytes.
 */
export function readBundle(bytes) {
    const text = new TextDecoder();
    const magic = text.decode(bytes.subarray(0, MAGIC.length));
    if (magic !== MAGIC) throw new BundleError(`a bundle begins with ${MAGIC}, this one with ${JSON.stringify(magic)}`);
    if (bytes.length < FRONT) throw new BundleError(`a bundle has at least ${FRONT} bytes, this one ${bytes.length}`);
    const tableSize = new DataView(bytes.buffer, bytes.byteOffset).getUint32(MAGIC.length, true);
    const table = parseJson(text.decode(bytes.subarray(FRONT, FRONT + tableSize)));
    if (!Array.isArray(table) || !table.every(isEntry)) throw new BundleError("the bundle's table of paths, sizes and SHA-256 is damaged");
    let end = FRONT + tableSize;
    return table.map(([path, size, sha256]) => {
        const start = Math.ceil(end / 16) * 16;
        end = start + size;
        if (end > bytes.length) throw new BundleError(`the bundle ends before its file ${path}`);
        return { path, sha256, content: bytes.subarray(start, end) };
    });
}

/**
 * The content of one file of a bundle.
 *
 * @param {Uint8Array<ArrayBuffer>} bundle
 * @param {string} path
 */
export function bundledFile(bundle, path) {
    const file = readBundle(bundle).find((each) => each.path === path);
    if (file === undefined) throw new BundleError(`the bundle has no file ${path}`);
    return file.content;
}

/**
 * @param {unknown} entry
 * @returns {entry is [string, number, string]}
 */
function isEntry(entry) {
    if (!Array.isArray(entry) || entry.length !== 3) return false;
    const [path, size, sha256] = entry;
    return typeof path === "string" && Number.isSafeInteger(size) && size >= 0 && typeof sha256 === "string";
}

/**
 * @param {Uint8Array<ArrayBuffer>} bundle
 * @param {string} folder
 * @param {Folders} files  Keeps views of the bundle instead of copies.
 */
export function unpackBundle(bundle, folder, files) {
    const made = new Set();
    for (const { path, content } of readBundle(bundle)) {
        const place = `${folder}/${path}`;
        const parent = place.slice(0, place.lastIndexOf("/"));
        if (!made.has(parent)) files.mkdirTree(parent);
        made.add(parent);
        files.writeFile(place, content, { canOwn: true });
    }
}
