/** Python's end of the worker beside it, which brings what a snapshot is restored from. */

/**
 * @typedef {import("./supply-worker.js").Order} Order
 * @typedef {import("./supply-worker.js").Delivery} Delivery
 */

import { assertNever } from "./protocol.js";

export class Supply {
    /** By path. @type {Map<string, PromiseWithResolvers<any>>} */
    #awaited = new Map();
    #port;
    #onProgress;
    #onRetry;

    /**
     * @param {MessagePort} port
     * @param {(loadedBytes: number, totalBytes: number) => void} onProgress
     * @param {(reason: string) => void} onRetry  A file is asked for again.
     */
    constructor(port, onProgress, onRetry) {
        this.#port = port;
        this.#onProgress = onProgress;
        this.#onRetry = onRetry;
        port.onmessage = ({ data }) => this.#hear(data);
    }

    /**
     * Everything that is ordered, verified: native modules compiled, pages of memory decompressed.
     *
     * @param {Order} order
     * @returns {{modules: Promise<{path: string, module: WebAssembly.Module}>[], pages: Promise<Uint8Array<ArrayBuffer>>[]}}
     */
    order(order) {
        const { files } = order.manifest;
        // Known before the first byte: otherwise the reader would see the total grow.
        this.#onProgress(0, [...order.modules, ...order.pages].reduce((total, path) => total + (files[path]?.size ?? 0), 0));
        this.#port.postMessage(order);
        return {
            modules: order.modules.map(async (path) => ({ path, module: await this.#expect(path) })),
            pages: order.pages.map((path) => this.#expect(path)),
        };
    }

    /** @param {string} path */
    #expect(path) {
        const deferred = Promise.withResolvers();
        this.#awaited.set(path, deferred);
        return deferred.promise;
    }

    /** @param {Delivery} delivery */
    #hear(delivery) {
        switch (delivery.type) {
            case "progress":
                return this.#onProgress(delivery.loadedBytes, delivery.totalBytes);
            case "retry":
                return this.#onRetry(delivery.reason);
            case "delivered":
                return this.#settled(delivery.path)?.resolve(delivery.content);
            case "failed":
                return this.#settled(delivery.path)?.reject(new Error(delivery.reason));
            default:
                return assertNever(delivery);
        }
    }

    /** Nothing is held on to. @param {string} path */
    #settled(path) {
        const deferred = this.#awaited.get(path);
        this.#awaited.delete(path);
        return deferred;
    }
}
