/** Fills a cache with the files of a list: what is there already, what an older build has alike, and the rest from the site. */

import { sha256Of } from "./digest.js";
import { bytesOf, fetchPatiently, FileTrouble } from "./patient-fetch.js";

/**
 * @typedef {import("./kept-list.js").KeptList} KeptList
 * @typedef {import("./kept-list.js").ListedFile} ListedFile
 *
 * @typedef {object} Filling
 * @property {Cache} cache
 * @property {string[]} others  Names of caches with other builds of this page.
 * @property {string} folder  Of the page.
 * @property {KeptList} list
 * @property {AbortSignal} signal
 * @property {(loadedBytes: number) => void} onProgress
 */

const LANES = 4;
const BUILD_FOLDER = /^b\/[0-9a-f]{16}\//;

/** There is not enough room in this browser. */
export class NoRoom extends Error {
    name = "NoRoom";
}

/**
 * @param {Filling} filling
 * @returns {Promise<void>}  Settled when every file is in the cache with the content that the list asks for.
 */
export async function fillCache({ cache, others, folder, list, signal, onProgress }) {
    const older = await Promise.all(others.map((name) => olderFiles(name, folder)));
    const progress = new Progress(onProgress);
    const missing = await missingFiles(cache, folder, list, progress, signal);
    // The first failure ends the other lanes, too.
    const ending = new AbortController();
    const end = () => ending.abort(signal.reason);
    signal.addEventListener("abort", end);
    const queue = missing.entries();
    const lane = async () => {
        for (const [address, file] of queue) {
            ending.signal.throwIfAborted();
            const bytes = (await reused(address, file, older)) ?? (await download(folder + address, address, file, progress, ending.signal));
            ending.signal.throwIfAborted();
            await put(cache, folder + address, bytes);
            progress.settle(address, file.size);
        }
    };
    try {
        signal.throwIfAborted();
        await Promise.all(Array.from({ length: LANES }, lane));
    } finally {
        ending.abort();
        signal.removeEventListener("abort", end);
    }
}

/** Bytes of files that are here, and of those that are arriving. */
class Progress {
    /** @type {Map<string, number>} */
    #bytes = new Map();
    #total = 0;
    #tell;

    /** @param {(loadedBytes: number) => void} tell */
    constructor(tell) {
        this.#tell = tell;
    }

    /**
     * @param {string} address
     * @param {number} bytes
     */
    settle(address, bytes) {
        this.#total += bytes - (this.#bytes.get(address) ?? 0);
        this.#bytes.set(address, bytes);
        this.#tell(this.#total);
    }
}

/**
 * The files of the list that the cache does not hold, or holds changed.
 *
 * @param {Cache} cache
 * @param {string} folder
 * @param {KeptList} list
 * @param {Progress} progress
 * @param {AbortSignal} signal
 */
async function missingFiles(cache, folder, { files }, progress, signal) {
    const present = new Set((await cache.keys()).map(({ url }) => url));
    /** @type {Map<string, ListedFile>} */
    const missing = new Map();
    for (const [address, file] of files) {
        signal.throwIfAborted();
        const entry = present.has(folder + address) ? await cache.match(folder + address) : undefined;
        if ((await contentOf(entry, file)) === null) missing.set(address, file);
        else progress.settle(address, file.size);
    }
    return missing;
}

/**
 * The bytes of a kept answer if they are the listed ones.
 *
 * @param {Response | undefined} entry
 * @param {ListedFile} file
 */
async function contentOf(entry, { size, sha256 }) {
    if (entry === undefined) return null;
    try {
        const bytes = await entry.arrayBuffer();
        return bytes.byteLength === size && (await sha256Of(bytes)) === sha256 ? bytes : null;
    } catch (error) {
        // An entry that cannot be read is as good as none.
        console.info("a kept file cannot be read", error);
        return null;
    }
}

/**
 * Where another build keeps its files, by their addresses within a build.
 *
 * @param {string} cacheName
 * @param {string} folder
 */
async function olderFiles(cacheName, folder) {
    const cache = await caches.open(cacheName);
    const urls = (await cache.keys()).map(({ url }) => url);
    return { cache, urls: new Map(urls.map((url) => [withinBuild(url.slice(folder.length)), url])) };
}

/** @param {string} address */
function withinBuild(address) {
    return address.replace(BUILD_FOLDER, "");
}

/**
 * @param {string} address
 * @param {ListedFile} file
 * @param {{cache: Cache, urls: Map<string, string>}[]} older
 */
async function reused(address, file, older) {
    for (const { cache, urls } of older) {
        const url = urls.get(withinBuild(address));
        const bytes = url === undefined ? null : await contentOf(await cache.match(url), file);
        if (bytes !== null) return bytes;
    }
    return null;
}

/**
 * @param {string} url
 * @param {string} address
 * @param {ListedFile} file
 * @param {Progress} progress
 * @param {AbortSignal} signal
 */
async function download(url, address, file, progress, signal) {
    const name = withinBuild(address) || "the page";
    return fetchPatiently(url, name, async (response, arrived) => {
        const bytes = await bytesOf(response, file.size, (length) => {
            arrived();
            progress.settle(address, length);
        });
        if (bytes?.length === file.size && (await sha256Of(bytes)) === file.sha256) return bytes.buffer;
        progress.settle(address, 0);
        throw new FileTrouble(`${name} is not the file that belongs to this build: the site was published anew meanwhile, or its copy is damaged. Nothing of it was kept`, true);
    }, () => undefined, signal);
}

/**
 * @param {Cache} cache
 * @param {string} url
 * @param {ArrayBuffer} bytes
 */
async function put(cache, url, bytes) {
    try {
        await cache.put(url, new Response(bytes));
    } catch (error) {
        throw error instanceof Error && error.name === "QuotaExceededError" ? new NoRoom() : error;
    }
}
