/** The page's end: owns the worker, numbers the requests, and settles every one of them. */

import { BootAttempt, bootsToTry, firstBoot } from "./boot-attempt.js";
import { whenReleased } from "./life-lock.js";
import { endsRequest, isJsonObject, parseAnswer, PROTOCOL } from "./protocol.js";
import { startWorker } from "./start-worker.js";

/**
 * @typedef {import("./protocol.js").Notice} Notice
 * @typedef {import("./protocol.js").Reply} Reply
 * @typedef {import("./protocol.js").Request} Request
 * @typedef {import("./protocol.js").BootName} BootName
 * @typedef {import("./protocol.js").CellRef} CellRef
 * @typedef {import("./protocol.js").Body<Request>} RequestBody
 * @typedef {{boot: BootName, worker: Worker, supplyWorker: Worker | null, lifeLock: string, manifest: import("./site-files.js").Manifest}} Started
 * @typedef {{resolve: (reply: Reply) => void, reject: (error: Error) => void, onNotice: (notice: Notice) => void}} Pending
 */

/** Python went away before it answered: by Stop, by Restart, or because it ended itself. */
export class Cancelled extends Error {
    name = "Cancelled";
}

export class LabClient {
    /** @type {Worker | null} */
    #worker = null;
    /** Brings files while that one starts. @type {Worker | null} */
    #supplyWorker = null;
    /** @type {Uint8Array | null} */
    #interruptBuffer = null;
    /** @type {Map<number, Pending>} */
    #pending = new Map();
    /** Begins anywhere: a cell that posts messages itself cannot know to what the page waits for an answer. */
    #lastId = Math.floor(Math.random() * 2 ** 32);
    #foreign = 0;
    /** Ends what watches over the present worker. */
    #watching = new AbortController();
    /** A worker that has its scripts and waits for the reader's wish. @type {Promise<Started> | null} */
    #spare = null;
    #loading = false;
    #boots = bootsToTry(location.search);
    #files;
    #onCrash;

    /**
     * @param {import("./site-files.js").SiteFiles} files
     * @param {(reason: string) => void} onCrash
     */
    constructor(files, onCrash) {
        this.#files = files;
        this.#onCrash = onCrash;
    }

    /** Whether a computing cell can be told to stop without ending Python. */
    get canInterrupt() {
        return this.#interruptBuffer !== null;
    }

    /** Start a worker without loading anything of the runtime: its own few scripts need not be waited for later. */
    prepare() {
        if (this.#worker !== null || this.#spare !== null || this.#loading) return;
        const spare = this.#start(this.#boots);
        this.#spare = spare;
        // A load will try again, and tell.
        spare.catch(() => this.#forget(spare));
    }

    /**
     * Start Python in the first way that works. Each has a worker of its own: nothing of a failed one is left.
     *
     * @param {(notice: Notice) => void} onNotice
     */
    async load(onNotice) {
        let boots = this.#boots;
        let excuse = "";
        for (;;) {
            const attempt = new BootAttempt(boots, excuse, onNotice);
            try {
                return await attempt.within(this.#load(boots, attempt));
            } catch (error) {
                boots = attempt.left;
                if (error instanceof Cancelled || boots.length === 0) throw error;
                excuse = attempt.excuse(error);
                console.warn(excuse, error);
                this.#discard();
            }
        }
    }

    /**
     * @param {BootName[]} boots
     * @param {BootAttempt} attempt
     */
    async #load(boots, attempt) {
        const isolated = crossOriginIsolated && typeof SharedArrayBuffer === "function";
        this.#interruptBuffer = isolated ? new Uint8Array(new SharedArrayBuffer(1)) : null;
        this.#loading = true;
        const starting = this.#spare ?? this.#start(boots);
        this.#spare = null;
        const { signal } = this.#watching;
        const started = await starting;
        if (signal.aborted) {
            end(started);
            throw new Cancelled("Python was ended before it was there");
        }
        const { boot, worker, supplyWorker, lifeLock, manifest } = started;
        attempt.begin(boot);
        this.#worker = worker;
        this.#supplyWorker = supplyWorker;
        const { site } = this.#files;
        const supply = supplyWorker === null ? null : portTo(supplyWorker);
        const body = /** @type {const} */ ({ type: "load", site, manifest, boot, lifeLock, supply, interruptBuffer: this.#interruptBuffer });
        const reply = expecting("loaded", await this.#ask(body, attempt.hear, supply === null ? [] : [supply]));
        this.#loading = false;
        this.#endSupply();
        return reply;
    }

    /**
     * @param {CellRef} cell
     * @param {string} source
     * @param {(notice: Notice) => void} onNotice
     */
    async runCell(cell, source, onNotice) {
        return expecting("cell-ended", await this.#ask({ type: "run-cell", cell, source }, onNotice));
    }

    /**
     * Names of the cells' namespace, in full, that begin with what was typed. Answered between cells only.
     *
     * @param {string} typed
     */
    async complete(typed) {
        return expecting("completions", await this.#ask({ type: "complete", typed })).names;
    }

    async listFiles() {
        return expecting("files", await this.#ask({ type: "list-files" })).files;
    }

    /** @param {string} name */
    async readFile(name) {
        return expecting("file", await this.#ask({ type: "read-file", name })).bytes;
    }

    async zipFiles() {
        return expecting("file", await this.#ask({ type: "zip-files" })).bytes;
    }

    /**
     * @param {CellRef} cell
     * @param {string} name
     */
    async readOutput(cell, name) {
        return expecting("file", await this.#ask({ type: "read-output", cell, name })).bytes;
    }

    /** Ask the running cell to stop: by the buffer where it computes, by a message where it awaits. */
    async interrupt() {
        if (this.#interruptBuffer !== null) this.#interruptBuffer[0] = 2;
        await this.#ask({ type: "interrupt" });
    }

    /** End Python now. What is pending is settled as cancelled. */
    terminate() {
        const pending = this.#discard();
        for (const { reject } of pending) reject(new Cancelled("Python was ended before it answered"));
    }

    /** End the worker; who settles its requests is up to the caller. */
    #discard() {
        this.#watching.abort();
        this.#loading = false;
        this.#worker?.terminate();
        this.#worker = null;
        this.#endSupply();
        const pending = [...this.#pending.values()];
        this.#pending.clear();
        return pending;
    }

    #endSupply() {
        this.#supplyWorker?.terminate();
        this.#supplyWorker = null;
    }

    /**
     * A worker, once its scripts are known to be those of this build.
     *
     * @param {BootName[]} boots
     * @returns {Promise<Started>}
     */
    async #start(boots) {
        const watching = new AbortController();
        this.#watching = watching;
        const manifest = await this.#files.manifest();
        await this.#files.check(manifest.workers);
        const boot = firstBoot(boots, manifest);
        const supplyWorker = boot === "snapshot" ? this.#startSupply() : null;
        return { boot, ...this.#startPython(watching.signal), supplyWorker, manifest };
    }

    #startSupply() {
        const worker = startWorker(this.#files.site, "page/js/supply-worker.js", "supply");
        worker.addEventListener("error", (event) => {
            if (worker === this.#supplyWorker) this.#crashed(event.message || whyNotLoaded());
            else this.#dropSpare();
        });
        return worker;
    }

    /** @param {AbortSignal} unwatched */
    #startPython(unwatched) {
        const lifeLock = `python ${crypto.randomUUID()}`;
        const worker = startWorker(this.#files.site, "page/js/worker.js", "python");
        worker.addEventListener("message", () => {
            // It holds its lock since before its first word.
            whenReleased(lifeLock, unwatched, () => this.#crashed("a cell or the browser ended it"));
        }, { once: true });
        worker.addEventListener("message", (event) => {
            if (worker === this.#worker) this.#receive(event.data);
        });
        worker.addEventListener("error", (event) => {
            if (worker === this.#worker) this.#crashed(event.message || whyNotLoaded());
            else this.#dropSpare();
        });
        return { worker, lifeLock };
    }

    #dropSpare() {
        this.#spare?.then(end, () => undefined);
        this.#spare = null;
    }

    /** @param {Promise<Started>} spare */
    #forget(spare) {
        if (this.#spare === spare) this.#spare = null;
    }

    /** @param {string} reason */
    #crashed(reason) {
        if (!this.#loading) this.#onCrash(reason);
        else for (const { reject } of this.#discard()) reject(new Error(reason));
    }

    /**
     * @param {RequestBody} body
     * @param {(notice: Notice) => void} [onNotice]
     * @param {Transferable[]} [transfer]
     * @returns {Promise<Reply>}
     */
    #ask(body, onNotice = () => undefined, transfer = []) {
        const worker = this.#worker;
        if (worker === null) return Promise.reject(new Cancelled("there is no Python to ask"));
        this.#lastId += 1;
        const requestId = this.#lastId;
        return new Promise((resolve, reject) => {
            this.#pending.set(requestId, { resolve, reject, onNotice });
            worker.postMessage({ ...body, protocol: PROTOCOL, requestId }, transfer);
        });
    }

    /** @param {unknown} message */
    #receive(message) {
        const answer = this.#read(message);
        const pending = answer === null ? undefined : this.#pending.get(answer.requestId);
        if (answer === null || pending === undefined) return;
        if (!endsRequest(answer)) {
            pending.onNotice(answer);
            return;
        }
        this.#pending.delete(answer.requestId);
        if (answer.type === "failed") pending.reject(new Error(answer.message));
        else pending.resolve(answer);
    }

    /**
     * A message that is no answer of ours: one that a cell posted itself is named once and passed over, a spoiled answer fails its request.
     *
     * @param {unknown} message
     */
    #read(message) {
        try {
            return parseAnswer(message);
        } catch (error) {
            const pending = isJsonObject(message) ? this.#pending.get(Number(message.requestId)) : undefined;
            if (pending !== undefined && isJsonObject(message)) {
                this.#pending.delete(Number(message.requestId));
                console.info("an answer that cannot be read", error);
                pending.reject(new Error("its answer could not be read"));
            } else if ((this.#foreign += 1) === 1) console.info("a cell sent the page a message that means nothing to it", error);
            return null;
        }
    }
}

/** @param {Started} started */
function end({ worker, supplyWorker }) {
    worker.terminate();
    supplyWorker?.terminate();
}

/** @param {Worker} worker */
function portTo(worker) {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage(port2, [port2]);
    return port1;
}

/** A worker's script that does not arrive is told without a reason. */
function whyNotLoaded() {
    if (!navigator.onLine) return "this device is offline, and this page is not kept for offline use";
    return "its program could not be loaded: the site's copy is incomplete, or its host forbids workers";
}

/**
 * @template {Reply["type"]} T
 * @param {T} type
 * @param {Reply} reply
 * @returns {Extract<Reply, {type: T}>}
 */
function expecting(type, reply) {
    if (reply.type !== type) throw new Error(`expected the reply ${type}, got ${reply.type}`);
    return /** @type {Extract<Reply, {type: T}>} */ (reply);
}
