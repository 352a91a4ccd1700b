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

const MAGIC = "RLBUNDL1";
const FRONT = 12;

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {BundledFile[]}  Views of the bundle's own bytes.
 */
export function readBundle(bytes) {
    const text = new TextDecoder();
    const magic = text.decode(bytes.subarray(0, MAGIC.length));
    if (magic !== MAGIC) throw new Error(`a bundle begins with ${MAGIC}, this one with ${JSON.stringify(magic)}`);
    const tableSize = new DataView(bytes.buffer, bytes.byteOffset).getUint32(MAGIC.length, true);
    /** @type {[string, number, string][]} */
    const table = JSON.parse(text.decode(bytes.subarray(FRONT, FRONT + tableSize)));
    let end = FRONT + tableSize;
    return table.map(([path, size, sha256]) => {
        const start = Math.ceil(end / 16) * 16;
        end = start + size;
        if (end > bytes.length) throw new Error(`the bundle ends before its file ${path}`);
        return { path, sha256, content: bytes.subarray(start, end) };
    });
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
