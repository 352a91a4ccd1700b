/**
 * Everything a snapshot would otherwise remember of the machine and the moment it was made in.
 *
 * To be imported before Pyodide: from then on this process has one date, one source of entropy that always
 * starts alike, and a browser that gives nothing away. Run with TZ=UTC.
 */

import crypto from "node:crypto";

const NOW = Date.UTC(2000, 0, 1);
const RealDate = Date;

class FrozenDate extends RealDate {
    /** @param {[] | [string | number | Date]} values */
    constructor(...values) {
        super(...(values.length === 0 ? [NOW] : values));
    }

    static now() {
        return NOW;
    }
}

let state = 1;

/** @returns {number} The next of a fixed series of 32-bit words. */
function nextWord() {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
}

/**
 * @template {ArrayBufferView} T
 * @param {T} view
 */
function fill(view) {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = nextWord();
    return view;
}

/** Without this name CPython would be given a call trampoline that not every engine can make. */
const NAVIGATOR = { userAgent: "iPhone", language: "C", platform: "" };

export function freezeWorld() {
    if (process.env.TZ !== "UTC") throw new Error("run this with TZ=UTC");
    globalThis.Date = FrozenDate;
    Math.random = () => nextWord() / 2 ** 32;
    crypto.randomFillSync = fill;
    Object.defineProperty(globalThis.crypto, "getRandomValues", { value: fill });
    Object.defineProperty(globalThis, "navigator", { value: NAVIGATOR });
    Object.defineProperty(performance, "now", { value: () => 0 });
    Object.defineProperty(performance, "timeOrigin", { value: NOW });
    delete WebAssembly.Suspending;
    delete WebAssembly.promising;
}
