/** A worker beside Python's: it brings what a snapshot is restored from while that one is busy starting. */

import { bundledFile } from "./bundle.js";
import { VerifiedFiles } from "./verified-files.js";
import { Zstd } from "./zstd.js";

/**
 * @typedef {import("./site-files.js").Manifest} Manifest
 * @typedef {{site: string, manifest: Manifest, modules: string[], pages: string[]}} Order  Paths, as they are wanted: native modules compiled, bundles with pages of memory unpacked.
 * @typedef {WebAssembly.Module | Uint8Array<ArrayBuffer>} Content
 * @typedef {{type: "delivered", path: string, content: Content} | {type: "failed", path: string, reason: string}
 *     | {type: "progress", loadedBytes: number, totalBytes: number} | {type: "retry", reason: string}} Delivery
 */

const ZSTD = "page/vendor/zstd.wasm";

/** Each word of progress takes time from the worker that hears it. */
const PROGRESS_MS = 250;

// As worker.js says: only in a worker that is held by the page's policy.
if (location.protocol !== "blob:") throw new Error("supply-worker.js runs only in the worker that the page starts");

const scope = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (self));
scope.addEventListener("message", ({ data: port }) => {
    port.onmessage = (/** @type {MessageEvent<Order>} */ { data }) => void deliver(data, port);
}, { once: true });
scope.postMessage("started");

/**
 * @param {Order} order
 * @param {MessagePort} port
 */
async function deliver({ site, manifest, modules, pages }, port) {
    /** @param {Delivery} delivery @param {Transferable[]} [transfer] */
    const tell = (delivery, transfer = []) => port.postMessage(delivery, transfer);

    const files = new VerifiedFiles(site, manifest, progress(tell), (reason) => tell({ type: "retry", reason }));
    files.prefetch([...modules, ZSTD, ...pages], [...modules, ZSTD]);
    const zstd = files.takeModule(ZSTD).then((module) => new Zstd(module));
    zstd.catch(() => undefined);

    /**
     * @param {string} path
     * @param {() => Promise<Content>} get
     */
    const bring = async (path, get) => {
        try {
            const content = await get();
            tell({ type: "delivered", path, content }, content instanceof Uint8Array ? [content.buffer] : []);
        } catch (error) {
            tell({ type: "failed", path, reason: error instanceof Error ? error.message : String(error) });
        }
    };
    for (const path of modules) void bring(path, () => files.takeModule(path));
    for (const path of pages) {
        await bring(path, async () => {
            const compressed = bundledFile(await files.take(path), "pages.zst");
            // A copy: the memory of WebAssembly cannot be given away.
            return (await zstd).decompress(compressed).slice();
        });
    }
}

/** @param {(delivery: Delivery) => void} tell */
function progress(tell) {
    let latest = 0;
    return (/** @type {number} */ loadedBytes, /** @type {number} */ totalBytes) => {
        if (loadedBytes < totalBytes && performance.now() - latest < PROGRESS_MS) return;
        latest = performance.now();
        tell({ type: "progress", loadedBytes, totalBytes });
    };
}
