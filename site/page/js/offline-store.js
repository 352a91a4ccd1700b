/**
 * What this browser keeps for offline use: whole builds in its cache storage, and the service worker that serves one of them.
 *
 * Cells can write into the same storage. What is read here is shown, or checked against a list that was just fetched;
 * what is served is checked by the service worker.
 */

import { cachePrefix, nameInAddress, parseKeptList, SCRIPT, scriptAddress } from "./kept-list.js";
import { fillCache } from "./offline-fill.js";

/**
 * @typedef {import("./kept-list.js").KeptList} KeptList
 * @typedef {{list: KeptList, script: string}} Published  What this site offers to keep now, and the service worker that says so.
 *
 * @typedef {object} Copy  A build in the storage, whole or not.
 * @property {string} name  Of its list.
 * @property {string} build  Empty where the list is gone.
 * @property {number} keptBytes
 * @property {number} totalBytes
 *
 * @typedef {object} Kept
 * @property {Copy | null} active  Served where there is no network.
 * @property {Copy | null} waiting  Whole; served once no page of another build is open.
 * @property {Copy | null} partial  The largest of those that nobody serves.
 */

/** The change from one build to the next is one step of the browser; a page that waits longer was not the only one. */
const TAKE_OVER_MS = 2000;

export class OfflineStore {
    #folder;
    #prefix;
    #lock;
    #removing;

    /** @param {string} folder  Address of the page's folder, with a slash at its end. */
    constructor(folder) {
        this.#folder = folder;
        this.#prefix = cachePrefix(folder);
        const { pathname } = new URL(folder);
        this.#lock = `replay-lab keeping ${pathname}`;
        this.#removing = `replay-lab removing ${pathname}`;
    }

    /** @returns {Promise<Kept>} */
    async look() {
        const registration = await this.#registration();
        const copies = await Promise.all((await this.#cacheNames()).map((cacheName) => this.#copy(cacheName)));
        /** @param {ServiceWorker | null | undefined} worker */
        const servedBy = (worker) => {
            const name = nameInAddress(this.#folder, worker?.scriptURL ?? "");
            return name === "" ? null : copies.find((copy) => copy.name === name) ?? { name, build: "", keptBytes: 0, totalBytes: 0 };
        };
        const active = servedBy(registration?.active);
        const waiting = servedBy(registration?.waiting);
        const rest = copies.filter(({ name }) => name !== active?.name && name !== waiting?.name);
        const [partial = null] = rest.sort((one, other) => other.keptBytes - one.keptBytes);
        return { active, waiting, partial };
    }

    /** @returns {Promise<Published>} */
    async published() {
        const response = await fetch(this.#folder + SCRIPT, { cache: "no-cache" });
        // So answers the service worker in the site's place.
        if (response.status === 204) throw new TypeError(`${SCRIPT} cannot be fetched`);
        const script = response.ok ? await response.text() : "";
        const list = parseKeptList(script);
        if (list === null) throw new Error(`This copy of the site cannot be kept: the server answered ${response.status} without the list of files that ${SCRIPT} carries.`);
        return { list, script };
    }

    /**
     * Bring a build into the storage, whole, then let it be served: at once where nothing else is.
     *
     * @param {Published} published
     * @param {AbortSignal} signal
     * @param {(loadedBytes: number) => void} onProgress
     * @param {() => void} onWait  Another tab is at it.
     */
    async keep(published, signal, onProgress, onWait) {
        const work = () => this.#keepWhole(published, signal, onProgress);
        const done = await navigator.locks.request(this.#lock, { ifAvailable: true }, async (lock) => {
            if (lock === null) return false;
            await work();
            return true;
        });
        if (done) return;
        onWait();
        await navigator.locks.request(this.#lock, { signal }, work);
    }

    /**
     * Ask the waiting service worker to serve from now on. It refuses while another page is open.
     *
     * @returns {Promise<boolean>}
     */
    async takeOver() {
        const waiting = (await this.#registration())?.waiting ?? null;
        if (waiting === null) return false;
        waiting.postMessage("take over");
        const taken = reached(waiting, ["activated"]).then(() => true, () => false);
        return Promise.race([taken, new Promise((resolve) => setTimeout(resolve, TAKE_OVER_MS, false))]);
    }

    /** Keep nothing any more. A tab that is keeping is stopped. */
    async remove() {
        const removeAll = async () => {
            await (await this.#registration())?.unregister();
            for (const name of await this.#cacheNames()) await caches.delete(name);
        };
        await navigator.locks.request(this.#removing, () => navigator.locks.request(this.#lock, { steal: true }, removeAll));
    }

    /** Settled when no tab is removing. */
    async untilRemoved() {
        await navigator.locks.request(this.#removing, () => undefined);
    }

    /**
     * @param {Published} published
     * @param {AbortSignal} signal
     * @param {(loadedBytes: number) => void} onProgress
     */
    async #keepWhole({ list, script }, signal, onProgress) {
        const others = await this.#cacheNames();
        const cache = await caches.open(this.#prefix + list.name);
        await cache.put(scriptAddress(this.#folder, list.name), new Response(script));
        await fillCache({ cache, others, folder: this.#folder, list, signal, onProgress });
        await this.#install(list.name);
    }

    /** @param {string} name */
    async #install(name) {
        const address = scriptAddress(this.#folder, name);
        const registration = await navigator.serviceWorker.register(address, { scope: this.#folder, updateViaCache: "none" });
        const { installing, waiting, active } = registration;
        const worker = [installing, waiting, active].find((each) => each?.scriptURL === address);
        const first = active === null || active === worker;
        if (!worker) throw new Error("The browser did not take the service worker of this build.");
        await reached(worker, first ? ["activated"] : ["installed", "activating", "activated"]);
    }

    async #registration() {
        const registration = await navigator.serviceWorker.getRegistration(this.#folder);
        // A site above this one may have a service worker of its own.
        return registration?.scope === this.#folder ? registration : undefined;
    }

    async #cacheNames() {
        return (await caches.keys()).filter((name) => name.startsWith(this.#prefix));
    }

    /**
     * @param {string} cacheName
     * @returns {Promise<Copy>}
     */
    async #copy(cacheName) {
        const name = cacheName.slice(this.#prefix.length);
        const cache = await caches.open(cacheName);
        const script = await cache.match(scriptAddress(this.#folder, name));
        const list = script === undefined ? null : parseKeptList(await script.text());
        if (list === null) return { name, build: "", keptBytes: 0, totalBytes: 0 };
        let keptBytes = 0;
        for (const { url } of await cache.keys()) keptBytes += list.files.get(url.slice(this.#folder.length))?.size ?? 0;
        return { name, build: list.build, keptBytes, totalBytes: list.totalBytes };
    }
}

/**
 * Wait until a service worker has come so far.
 *
 * @param {ServiceWorker} worker
 * @param {ServiceWorkerState[]} states
 * @returns {Promise<void>}
 */
function reached(worker, states) {
    const listening = new AbortController();
    return new Promise((resolve, reject) => {
        const look = () => {
            if (states.includes(worker.state)) resolve();
            else if (worker.state === "redundant") reject(new Error("The browser could not put what was kept to use: some of it is missing, or the site was published anew meanwhile."));
            else return;
            listening.abort();
        };
        worker.addEventListener("statechange", look, { signal: listening.signal });
        look();
    });
}
