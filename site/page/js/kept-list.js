/**
 * The list of a build's files that can be kept for offline use, as the service worker carries it, and the names it goes by. Pure.
 *
 * @typedef {{sha256: string, size: number}} ListedFile
 * @typedef {{name: string, build: string, files: Map<string, ListedFile>, totalBytes: number}} KeptList  Files by address below the page's folder; the page is "".
 */

import { parseJson } from "./parse-json.js";
import { isJsonObject } from "./protocol.js";

export const SCRIPT = "service-worker.js";

const LIST = /^const KEPT = JSON\.parse\((".*")\);$/m;
const NAME = /^[0-9a-f]{16}$/;
const SHA256 = /^[0-9a-f]{64}$/;
/** Below the page's folder whatever the host is asked: no scheme, no way up. */
const ADDRESS = /^(?!.*(^|\/)\.\.?(\/|$))[\w.+-][\w.+/-]*$|^$/;

/**
 * @param {string} script  The text of the service worker.
 * @returns {KeptList | null}  Null when it carries no such list.
 */
export function parseKeptList(script) {
    const list = parseJson(String(parseJson(LIST.exec(script)?.[1] ?? "null")));
    if (!isJsonObject(list) || !isJsonObject(list.files)) return null;
    const { name, build } = list;
    const entries = Object.entries(list.files);
    if (!isName(name) || !isName(build) || !entries.every(isEntry)) return null;
    const files = new Map(entries.map(([address, { sha256, size }]) => [address, { sha256, size }]));
    return { name, build, files, totalBytes: entries.reduce((total, [, { size }]) => total + size, 0) };
}

/**
 * Where the service worker of a list is registered: its address says which build it is for.
 *
 * @param {string} folder  Of the page, with a slash at its end.
 * @param {string} name
 */
export function scriptAddress(folder, name) {
    return `${folder}${SCRIPT}?kept=${name}`;
}

/**
 * The list that a service worker is for; empty when it is none of ours.
 *
 * @param {string} folder
 * @param {string} address
 */
export function nameInAddress(folder, address) {
    const start = scriptAddress(folder, "");
    return address.startsWith(start) ? address.slice(start.length) : "";
}

/**
 * Caches belong to the whole host; those of this page begin so.
 *
 * @param {string} folder
 */
export function cachePrefix(folder) {
    return `replay-lab kept ${new URL(folder).pathname} `;
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isName(value) {
    return typeof value === "string" && NAME.test(value);
}

/**
 * @param {[string, unknown]} entry
 * @returns {entry is [string, ListedFile]}
 */
function isEntry(entry) {
    const [address, file] = entry;
    if (!ADDRESS.test(address) || !isJsonObject(file)) return false;
    const { sha256, size } = file;
    return typeof sha256 === "string" && SHA256.test(sha256) && Number.isSafeInteger(size) && Number(size) >= 0;
}
