/** The worker's end: receives requests one after the other and answers each exactly once. */

import { holdForLife } from "./life-lock.js";
import { assertNever, isJsonObject, parseRequest, PROTOCOL } from "./protocol.js";
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

/** @type {Promise<Runtime> | null} A failed load is remembered: every later request fails with its reason. */
let runtime = null;

scope.addEventListener("message", (event) => {
    void answer(event.data);
});

/** @param {unknown} message */
async function answer(message) {
    const requestId = isJsonObject(message) && typeof message.requestId === "number" ? message.requestId : -1;
    /** @param {Body<Notice>} notice */
    const notify = (notice) => scope.postMessage({ ...notice, protocol: PROTOCOL, requestId });
    try {
        const reply = await respond(parseRequest(message), notify);
        const transfer = reply.type === "file" ? [reply.bytes] : [];
        scope.postMessage({ ...reply, protocol: PROTOCOL, requestId }, { transfer });
    } catch (error) {
        console.info("request failed", error);
        const reason = error instanceof Error ? error.message : String(error);
        scope.postMessage({ type: "failed", message: reason, protocol: PROTOCOL, requestId });
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
            const started = performance.now();
            await holdForLife(request.lifeLock);
            runtime ??= Runtime.load(request.site, request.interruptBuffer, notify);
            const { versions } = await runtime;
            return { type: "loaded", versions, elapsedMs: performance.now() - started };
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
