/** The page's end: owns the worker, numbers the requests, and settles every one of them. */

import { BootAttempt, bootsToTry } from "./boot-attempt.js";
import { whenReleased } from "./life-lock.js";
import { endsRequest, parseAnswer, PROTOCOL } from "./protocol.js";

/**
 * @typedef {import("./protocol.js").Notice} Notice
 * @typedef {import("./protocol.js").Reply} Reply
 * @typedef {import("./protocol.js").Request} Request
 * @typedef {import("./protocol.js").BootName} BootName
 * @typedef {import("./protocol.js").CellRef} CellRef
 * @typedef {import("./protocol.js").Body<Request>} RequestBody
 * @typedef {{resolve: (reply: Reply) => void, reject: (error: Error) => void, onNotice: (notice: Notice) => void}} Pending
 */

/** Python went away before it answered: by Stop, by Restart, or because it ended itself. */
export class Cancelled extends Error {
    name = "Cancelled";
}

export class LabClient {
    /** @type {Worker | null} */
    #worker = null;
    /** @type {Uint8Array | null} */
    #interruptBuffer = null;
    /** @type {Map<number, Pending>} */
    #pending = new Map();
    #lastId = 0;
    /** Ends what watches over the present worker. */
    #watching = new AbortController();
    /** A worker that has its scripts and waits for the reader's wish. @type {{worker: Worker, lifeLock: string} | null} */
    #spare = null;
    #loading = false;
    #site;
    #onCrash;

    /**
     * @param {string} site  Address of the folder of this build, with a slash at its end.
     * @param {(reason: string) => void} onCrash
     */
    constructor(site, onCrash) {
        this.#site = site;
        this.#onCrash = onCrash;
    }

    /** Whether a computing cell can be told to stop without ending Python. */
    get canInterrupt() {
        return this.#interruptBuffer !== null;
    }

    /** Start a worker without loading anything of the runtime: its own few scripts need not be waited for later. */
    prepare() {
        if (this.#worker === null && this.#spare === null) this.#spare = this.#start();
    }

    /**
     * Start Python in the first way that works. Each has a worker of its own: nothing of a failed one is left.
     *
     * @param {(notice: Notice) => void} onNotice
     */
    async load(onNotice) {
        let boots = bootsToTry(location.search);
        let excuse = "";
        for (;;) {
            const attempt = new BootAttempt(boots, excuse, onNotice);
            try {
                return await attempt.within(this.#load(boots, attempt.hear));
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
     * @param {(notice: Notice) => void} onNotice
     */
    async #load(boots, onNotice) {
        const isolated = crossOriginIsolated && typeof SharedArrayBuffer === "function";
        this.#interruptBuffer = isolated ? new Uint8Array(new SharedArrayBuffer(1)) : null;
        const { worker, lifeLock } = this.#spare ?? this.#start();
        this.#worker = worker;
        this.#spare = null;
        const body = /** @type {const} */ ({ type: "load", site: this.#site, boots, lifeLock, interruptBuffer: this.#interruptBuffer });
        this.#loading = true;
        try {
            return expecting("loaded", await this.#ask(body, onNotice));
        } finally {
            this.#loading = false;
        }
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
        this.#worker?.terminate();
        this.#worker = null;
        const pending = [...this.#pending.values()];
        this.#pending.clear();
        return pending;
    }

    #start() {
        const lifeLock = `python ${crypto.randomUUID()}`;
        const watching = new AbortController();
        this.#watching = watching;
        // A worker made from a file would not be held by a policy in a meta element; one made from a blob inherits it.
        const script = `import ${JSON.stringify(`${this.#site}page/js/worker.js`)};`;
        const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
        const worker = new Worker(address, { type: "module", name: "python" });
        worker.addEventListener("message", () => {
            URL.revokeObjectURL(address);
            // It holds its lock since before its first word.
            whenReleased(lifeLock, watching.signal, () => this.#crashed("a cell or the browser ended it"));
        }, { once: true });
        worker.addEventListener("message", (event) => {
            if (worker === this.#worker) this.#receive(event.data);
        });
        worker.addEventListener("error", (event) => {
            if (worker === this.#worker) this.#crashed(event.message || whyNotLoaded());
            else if (worker === this.#spare?.worker) this.#spare = null;
        });
        return { worker, lifeLock };
    }

    /** @param {string} reason */
    #crashed(reason) {
        if (!this.#loading) this.#onCrash(reason);
        else for (const { reject } of this.#discard()) reject(new Error(reason));
    }

    /**
     * @param {RequestBody} body
     * @param {(notice: Notice) => void} [onNotice]
     * @returns {Promise<Reply>}
     */
    #ask(body, onNotice = () => undefined) {
        const worker = this.#worker;
        if (worker === null) return Promise.reject(new Cancelled("there is no Python to ask"));
        this.#lastId += 1;
        const requestId = this.#lastId;
        return new Promise((resolve, reject) => {
            this.#pending.set(requestId, { resolve, reject, onNotice });
            worker.postMessage({ ...body, protocol: PROTOCOL, requestId });
        });
    }

    /** @param {unknown} message */
    #receive(message) {
        const answer = parseAnswer(message);
        const pending = this.#pending.get(answer.requestId);
        if (pending === undefined) return;
        if (!endsRequest(answer)) {
            pending.onNotice(answer);
            return;
        }
        this.#pending.delete(answer.requestId);
        if (answer.type === "failed") pending.reject(new Error(answer.message));
        else pending.resolve(answer);
    }
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
