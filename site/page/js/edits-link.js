/** Edits inside the fragment of an address: compressed on the way out, distrusted on the way in. */

import { parseJson } from "./parse-json.js";
import { isJsonObject } from "./protocol.js";

/**
 * @typedef {{published: string, source: string}} LinkedEdit
 * @typedef {Map<string, LinkedEdit>} LinkedEdits  By the id of the cell.
 */

const PREFIX = "#edits=1.";
const FORMAT = "deflate-raw";

/** What mail programs and chats pass on unbroken. */
export const MAX_LINK_CHARACTERS = 8000;

/** A link from elsewhere may unfold to no more than this. */
const MAX_BYTES = 1_000_000;

/** @param {string} fragment */
export function carriesEdits(fragment) {
    return fragment.startsWith("#edits=");
}

/**
 * @param {LinkedEdits} edits
 * @returns {Promise<string>}
 */
export async function fragmentOf(edits) {
    const text = JSON.stringify([...edits].map(([id, { published, source }]) => [id, published, source]));
    const packed = new Blob([text]).stream().pipeThrough(new CompressionStream(FORMAT));
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
    return PREFIX + base64url(bytes);
}

/**
 * @param {string} fragment
 * @returns {Promise<LinkedEdits | null>}  Null when it is not what we write.
 */
export async function editsIn(fragment) {
    if (!fragment.startsWith(PREFIX) || fragment.length > MAX_BYTES) return null;
    const text = await unpacked(fragment.slice(PREFIX.length));
    const content = text === null ? null : parseJson(text);
    if (!Array.isArray(content) || content.length === 0 || !content.every(isEntry)) return null;
    return new Map(content.map(([id, published, source]) => [id, { published, source }]));
}

/**
 * @param {unknown} entry
 * @returns {entry is [string, string, string]}
 */
function isEntry(entry) {
    return Array.isArray(entry) && entry.length === 3 && entry.every((field) => typeof field === "string");
}

/**
 * @param {string} letters
 * @returns {Promise<string | null>}
 */
async function unpacked(letters) {
    try {
        const stream = new Blob([bytesOf(letters)]).stream().pipeThrough(new DecompressionStream(FORMAT));
        return await limitedText(stream);
    } catch (error) {
        console.info("the edits of this address cannot be read", error);
        return null;
    }
}

/** @param {ReadableStream<Uint8Array>} stream */
async function limitedText(stream) {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const reader = stream.getReader();
    let text = "";
    for (let size = 0; ; ) {
        const { done, value } = await reader.read();
        if (done) return text + decoder.decode();
        size += value.length;
        if (size > MAX_BYTES) {
            await reader.cancel();
            throw new RangeError(`it unfolds to more than ${MAX_BYTES} bytes`);
        }
        text += decoder.decode(value, { stream: true });
    }
}

/** @param {Uint8Array} bytes */
function base64url(bytes) {
    const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} letters */
function bytesOf(letters) {
    return Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}
