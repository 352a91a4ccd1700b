/**
 * How the page learns that its worker has ended: the worker holds a lock for as long as it lives.
 *
 * A worker that ends itself sends no event; its locks are released all the same.
 */

/**
 * Hold a lock until this worker ends. A browser without locks, or that refuses them to this page, goes without.
 *
 * @param {string} name
 * @returns {Promise<void>}  Settled once the lock is held.
 */
export function holdForLife(name) {
    const { promise, resolve } = /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers());
    if (navigator.locks === undefined) return Promise.resolve();
    navigator.locks.request(name, () => {
        resolve();
        return new Promise(() => undefined);
    }).catch((/** @type {unknown} */ error) => {
        console.info("no lock for the life of Python", error);
        resolve();
    });
    return promise;
}

/**
 * Call back when a lock that is held now is released.
 *
 * @param {string} name
 * @param {AbortSignal} signal  Ends the waiting.
 * @param {() => void} onReleased
 */
export function whenReleased(name, signal, onReleased) {
    if (navigator.locks === undefined || signal.aborted) return;
    const told = () => {
        // A lock may be given in the moment in which its request is taken back.
        if (!signal.aborted) onReleased();
    };
    navigator.locks.request(name, { signal }, told).catch((/** @type {unknown} */ error) => {
        if (!signal.aborted) console.info("an end of Python will not be noticed", error);
    });
}
