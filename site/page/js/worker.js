/** The worker's end: receives requests one after the other and answers each exactly once. */

import { holdForLife } from "./life-lock.js";
import { assertNever, isJsonObject, parseRequest, PROTOCOL } from "./protocol.js";
import { whyEnded } from "./python-end.js";
import { Runtime } from "./runtime.js";

/** @typedef {import("./protocol.js").Request} Request */
/** @typedef {import("./protocol.js").Reply} Reply */
/** @typedef {import("./protocol.js").Notice} Notice */
/**
 * @template T
 * @typedef {import("./protocol.js").Body<T>} Body
 */

// A worker started from this file itself would run outside the page's policy, on hosts that send no headers.
if (location.protocol !== "blob:") throw new Error("worker.js runs only in the worker that the page starts");

const scope = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (self));
// A cell can replace what the scope holds.
const post = scope.postMessage.bind(scope);

/** @type {Promise<Runtime> | null} A failed load is remembered: every later request fails with its reason. */
let runtime = null;

/** The one that has started. @type {Runtime | null} */
let started = null;

scope.addEventListener("message", (event) => {
    void answer(event.data);
});

/** Requests that wait for their reply. @type {Set<number>} */
const unanswered = new Set();

scope.addEventListener("unhandledrejection", (event) => failedBelow(event, event.reason));
scope.addEventListener("error", (event) => failedBelow(event, event.error));

/**
 * Python can come to an end below a cell: by `os._exit`, or because a call went too deep for the browser. Then nothing
 * in Python settles what was asked of it. A task that a cell left behind can fail, too; that ends nothing.
 *
 * @param {Event} event
 * @param {unknown} reason
 */
function failedBelow(event, reason) {
    if (started === null) return;
    event.preventDefault();
    console.info("failed below a cell:", reason);
    if (started.isAlive()) return;
    for (const requestId of unanswered) reply({ type: "failed", message: whyEnded(reason, true), protocol: PROTOCOL, requestId });
}

/**
 * Send the one reply of a request.
 *
 * @param {Reply} message
 */
function reply(message) {
    if (!unanswered.delete(message.requestId)) return;
    post(message, { transfer: message.type === "file" ? [message.bytes] : [] });
}

/** @param {unknown} message */
async function answer(message) {
    const requestId = isJsonObject(message) && typeof message.requestId === "number" ? message.requestId : -1;
    /** @param {Body<Notice>} notice */
    const notify = (notice) => post({ ...notice, protocol: PROTOCOL, requestId });
    unanswered.add(requestId);
    try {
        const body = await respond(parseRequest(message), notify);
        reply({ ...body, protocol: PROTOCOL, requestId });
    } catch (error) {
        console.info("request failed", error);
        const told = error instanceof Error ? error.message : String(error);
        reply({ type: "failed", message: started === null ? told : whyEnded(error, !started.isAlive()), protocol: PROTOCOL, requestId });
    }
}

/**
 * @param {Request} request
 * @param {(notice: Body<Notice>) => void} notify
 * @returns {Promise<Body<Reply>>}
 */
async function respond(request, notify) {
    switch (request.type) {
        case "load": {
            const begun = performance.now();
            await holdForLife(request.lifeLock);
            runtime ??= Runtime.load(request, notify);
            started = await runtime;
            return { type: "loaded", versions: started.versions, elapsedMs: performance.now() - begun };
        }
        case "run-cell":
            return (await loaded()).runCell(request.cell, request.source, notify);
        case "interrupt":
            (await loaded()).interrupt();
            return { type: "interrupt-sent" };
        case "complete":
            return { type: "completions", names: (await loaded()).complete(request.typed) };
        case "list-files":
            return { type: "files", files: (await loaded()).listFiles() };
        case "read-file":
            return { type: "file", name: request.name, bytes: (await loaded()).readFile(request.name) };
        case "zip-files":
            return { type: "file", name: "working-directory.zip", bytes: (await loaded()).zipFiles() };
        case "read-output":
            return { type: "file", name: request.name, bytes: (await loaded()).outputText(request.cell, request.name) };
        default:
            return assertNever(request);
    }
}

/** @returns {Promise<Runtime>} */
function loaded() {
    if (runtime === null) throw new Error("Python has not been loaded; send `load` first");
    return runtime;
}
