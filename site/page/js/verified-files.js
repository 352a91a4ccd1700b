/** Files of this site, each fetched once and used only if its SHA-256 is the one in the manifest. */

import { digestsText, sha256Of, wrongFile } from "./digest.js";
import { bytesOf, fetchPatiently, FileTrouble } from "./patient-fetch.js";

/** @typedef {import("./site-files.js").Manifest} Manifest */

/** As many as browsers open to one host over HTTP/1.1. */
const PARALLEL_DOWNLOADS = 6;
const WASM = "application/wasm";
const WASM_SUFFIX = ".wasm";

/** For addresses that are not of this site's manifest. */
const handOn = globalThis.fetch.bind(globalThis);

export class VerifiedFiles {
    /** @type {Map<string, Promise<Uint8Array<ArrayBuffer>>>} */
    #pending = new Map();
    /** Answers with WebAssembly, unread: a browser keeps compiled code with the answer it was compiled from. @type {Map<string, Response>} */
    #answers = new Map();
    /** WebAssembly that is compiled while it arrives: used only once its bytes are verified. @type {Map<string, Promise<WebAssembly.Module> | null>} */
    #modules = new Map();
    #loadedBytes = 0;
    #totalBytes = 0;
    #site;
    #manifest;
    #onProgress;
    #onRetry;

    /**
     * @param {string} site
     * @param {Manifest} manifest
     * @param {(loadedBytes: number, totalBytes: number) => void} onProgress
     * @param {(reason: string) => void} onRetry  A file is asked for again.
     */
    constructor(site, manifest, onProgress, onRetry) {
        this.#site = site;
        this.#manifest = manifest;
        this.#onProgress = onProgress;
        this.#onRetry = onRetry;
    }

    /**
     * Start downloading in this order, a few at a time.
     *
     * @param {string[]} paths
     * @param {string[]} [modules]  Those that `takeModule` will be asked for: compiled while they arrive.
     */
    prefetch(paths, modules = []) {
        for (const path of modules) this.#modules.set(path, null);
        this.#totalBytes += paths.reduce((total, path) => total + this.#entry(path).size, 0);
        /** @type {Map<string, PromiseWithResolvers<Uint8Array<ArrayBuffer>>>} */
        const promised = new Map();
        for (const path of paths) {
            const deferred = Promise.withResolvers();
            // Whoever takes the file later sees the failure; nobody else has to.
            deferred.promise.catch(() => undefined);
            promised.set(path, deferred);
            this.#pending.set(path, deferred.promise);
        }
        const queue = promised.entries();
        for (let lane = 0; lane < PARALLEL_DOWNLOADS; lane += 1) void this.#drain(queue);
    }

    /**
     * The verified bytes of a file. They are handed out once and not kept.
     *
     * @param {string} path
     * @returns {Promise<Uint8Array<ArrayBuffer>>}
     */
    async take(path) {
        const bytes = await this.#takeBytes(path);
        void this.#takeAnswer(path)?.body?.cancel();
        return bytes;
    }

    /**
     * A verified WebAssembly file as something to compile from: the server's own answer where its type allows, so
     * that the next visit finds the code compiled.
     *
     * @param {string} path
     * @returns {Promise<Response>}
     */
    async takeWasm(path) {
        const bytes = await this.#takeBytes(path);
        const answer = this.#takeAnswer(path);
        if (answer?.headers.get("content-type") === WASM) return answer;
        void answer?.body?.cancel();
        return new Response(bytes, { headers: { "content-type": WASM } });
    }

    /**
     * A verified WebAssembly file, compiled; nothing of it has run.
     *
     * @param {string} path
     */
    async takeModule(path) {
        const bytes = await this.#takeBytes(path);
        return this.#modules.get(path) ?? WebAssembly.compile(bytes);
    }

    /**
     * The text of a file, verified.
     *
     * @param {string} path
     */
    async takeText(path) {
        return new TextDecoder().decode(await this.take(path));
    }

    /**
     * A `fetch` that serves files of the manifest from verified bytes and hands every other address on. For a file that
     * is a module already the answer is empty.
     *
     * @returns {typeof fetch}
     */
    asFetch() {
        return async (input, init) => {
            const address = String(input instanceof Request ? input.url : input);
            const path = address.startsWith(this.#site) ? address.slice(this.#site.length) : "";
            if (!Object.hasOwn(this.#manifest.files, path)) return handOn(input, init);
            if (this.#modules.has(path)) return new Response(null, { headers: { "content-type": WASM } });
            return path.endsWith(WASM_SUFFIX) ? this.takeWasm(path) : new Response(await this.take(path));
        };
    }

    /** @param {string} path */
    #takeBytes(path) {
        const pending = this.#pending.get(path) ?? this.#download(path);
        this.#pending.delete(path);
        return pending;
    }

    /** @param {string} path */
    #takeAnswer(path) {
        const answer = this.#answers.get(path);
        this.#answers.delete(path);
        return answer;
    }

    /** @param {IterableIterator<[string, PromiseWithResolvers<Uint8Array<ArrayBuffer>>]>} queue */
    async #drain(queue) {
        for (const [path, deferred] of queue) {
            await this.#download(path).then(deferred.resolve, deferred.reject);
        }
    }

    /** @param {string} path */
    #download(path) {
        return fetchPatiently(this.#site + path, path, (response, arrived) => this.#verify(path, response, arrived), this.#onRetry);
    }

    /**
     * @param {string} path
     * @param {Response} response
     * @param {() => void} arrived
     */
    async #verify(path, response, arrived) {
        const expected = this.#entry(path);
        this.#keepForCompiling(path, response);
        const bytes = await this.#read(path, response, arrived);
        const sha256 = await sha256Of(bytes);
        if (sha256 === expected.sha256) return bytes;
        this.#loadedBytes -= bytes.length;
        throw wrongFile(path, bytes.length < expected.size ? `${bytes.length} of ${expected.size} bytes` : digestsText(sha256, expected.sha256));
    }

    /**
     * @param {string} path
     * @param {Response} response
     */
    #keepForCompiling(path, response) {
        if (!path.endsWith(WASM_SUFFIX)) return;
        if (!this.#modules.has(path)) {
            this.#answers.set(path, response.clone());
            return;
        }
        // Nothing of an earlier answer, which may have broken off.
        this.#modules.set(path, null);
        if (response.headers.get("content-type") === WASM) {
            const module = WebAssembly.compileStreaming(response.clone());
            // A file that is damaged is told by its digest.
            module.catch(() => undefined);
            this.#modules.set(path, module);
        }
    }

    /**
     * @param {string} path
     * @param {Response} response
     * @param {() => void} arrived
     */
    async #read(path, response, arrived) {
        const { size } = this.#entry(path);
        let counted = 0;
        try {
            const bytes = await bytesOf(response, size, (length) => {
                arrived();
                this.#loadedBytes += length - counted;
                counted = length;
                this.#onProgress(this.#loadedBytes, this.#totalBytes);
            });
            if (bytes !== null) return bytes;
            throw new FileTrouble(`${path} is longer than the ${size} bytes this page was built with. Nothing of it was used`, true);
        } catch (error) {
            // It is counted anew when it is asked for again.
            this.#loadedBytes -= counted;
            throw error;
        }
    }

    /** @param {string} path */
    #entry(path) {
        const entry = this.#manifest.files[path];
        if (entry === undefined) throw new Error(`${path} is not in the manifest of this build`);
        return entry;
    }
}
