/** Requests to this site that end in a bounded time, and are made again when that may help. */

/** The browser's own, whatever replaces the global name later. */
const fetchFromSite = globalThis.fetch.bind(globalThis);

const ATTEMPTS = 3;
/** A request in which nothing has arrived for so long is given up. */
const STALL_MS = 10_000;
const LOOK_MS = 1000;
const PAUSE_MS = 400;

/** The header of answers that did not come from the site: see service-worker.js. */
const ANSWERED_BY_SERVICE_WORKER = "x-replay-lab";

/** Answers that another request may not get. */
const PASSING = [408, 425, 429, 500, 502, 503, 504];

/** What went wrong with a file; perhaps not the next time. */
export class FileTrouble extends Error {
    /**
     * @param {string} message  One sentence without its full stop.
     * @param {boolean} passing  Whether asking again may help.
     */
    constructor(message, passing) {
        super(message);
        this.passing = passing;
    }
}

/**
 * Fetch a file and read it; again if that may help, past whatever the browser has kept of it.
 *
 * @template T
 * @param {string} address
 * @param {string} name  Of the file, for messages.
 * @param {(response: Response, arrived: () => void) => Promise<T>} read  Calls `arrived` for each part.
 * @param {(reason: string) => void} onRetry
 * @param {AbortSignal} [signal]  Gives it up, with the signal's reason.
 * @returns {Promise<T>}
 */
export async function fetchPatiently(address, name, read, onRetry, signal) {
    for (let attempt = 1; ; attempt += 1) {
        signal?.throwIfAborted();
        try {
            return await fetchOnce(address, name, read, attempt === 1 ? "default" : "reload", signal);
        } catch (error) {
            if (!(error instanceof FileTrouble) || !error.passing) throw error;
            if (attempt === ATTEMPTS) throw new FileTrouble(`${error.message}. Asked for it ${ATTEMPTS} times`, false);
            onRetry(error.message);
            await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempt));
        }
    }
}

/**
 * The bytes of an answer that should have so many; fewer of one that ends before, null of one that is longer.
 *
 * @param {Response} response
 * @param {number} size
 * @param {(length: number) => void} onPart  Told how many are here.
 */
export async function bytesOf({ body }, size, onPart) {
    const bytes = new Uint8Array(size);
    let length = 0;
    const reader = (body ?? new Blob([]).stream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
        if (length + part.value.length > size) {
            void reader.cancel();
            return null;
        }
        bytes.set(part.value, length);
        length += part.value.length;
        onPart(length);
    }
    return bytes.subarray(0, length);
}

/**
 * @template T
 * @param {string} address
 * @param {string} name
 * @param {(response: Response, arrived: () => void) => Promise<T>} read
 * @param {RequestCache} cache
 * @param {AbortSignal} [signal]
 */
async function fetchOnce(address, name, read, cache, signal) {
    const giving = new AbortController();
    const giveUp = () => giving.abort();
    signal?.addEventListener("abort", giveUp);
    let latest = performance.now();
    const arrived = () => {
        latest = performance.now();
    };
    const watch = setInterval(() => {
        if (performance.now() - latest > STALL_MS) giveUp();
    }, LOOK_MS);
    try {
        const response = await fetchFromSite(address, { cache, signal: giving.signal });
        if (response.headers.get(ANSWERED_BY_SERVICE_WORKER) === "not-kept") {
            throw new FileTrouble(`${name} is not among the files kept for offline use, and the site cannot be reached`, false);
        }
        if (!response.ok) {
            const passing = PASSING.includes(response.status);
            throw new FileTrouble(`${name} could not be fetched: the server answered ${response.status}`, passing);
        }
        return await read(response, arrived);
    } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof FileTrouble) throw error;
        if (giving.signal.aborted) throw new FileTrouble(`${name} stopped arriving: nothing came for ${STALL_MS / 1000} s`, true);
        // What a browser throws where the connection failed.
        if (error instanceof TypeError && !navigator.onLine) {
            throw new FileTrouble(`${name} could not be fetched: this device is offline, and this page is not kept for offline use`, false);
        }
        if (error instanceof TypeError) throw new FileTrouble(`${name} could not be fetched: the connection to the server failed`, true);
        throw error;
    } finally {
        clearInterval(watch);
        signal?.removeEventListener("abort", giveUp);
    }
}
