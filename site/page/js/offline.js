/** Keep for offline use: what the reader sees of it, and what its buttons do. */

import { attachKeptDownloads } from "./kept-downloads.js";
import { NoRoom } from "./offline-fill.js";
import { OfflineStore } from "./offline-store.js";
import { FileTrouble } from "./patient-fetch.js";
import { assertNever } from "./protocol.js";
import { renderOffline, summary } from "./views/offline.js";

/**
 * @typedef {import("./offline-store.js").Kept} Kept
 * @typedef {import("./offline-store.js").Published} Published
 * @typedef {import("./views/offline.js").OfflineState} OfflineState
 * @typedef {import("./views/offline.js").OfflineAction} OfflineAction
 */

/** The page is drawn so often, at most, while files arrive. */
const PROGRESS_MS = 100;
/** So often it is tried to let the newer build take over, while other pages are open. */
const TAKE_OVER_EVERY_MS = 3000;

/** @type {Kept} */
const NOTHING = { active: null, waiting: null, partial: null };

class Offline {
    #store;
    #place;
    #build;
    #announce;
    /** Ends the keeping that is under way. @type {AbortController | null} */
    #keeping = null;
    /** @type {Published | null} */
    #published = null;
    /** @type {OfflineState} */
    #state;
    #lastDrawn = 0;

    /**
     * @param {OfflineStore} store
     * @param {HTMLElement} place
     * @param {string} build
     * @param {string} offer
     * @param {(sentence: string) => void} announce
     */
    constructor(store, place, build, offer, announce) {
        this.#store = store;
        this.#place = place;
        this.#build = build;
        this.#announce = announce;
        this.#state = { build, offer, kept: NOTHING, published: null, activity: null, trouble: "" };
    }

    /** @param {boolean} keep */
    async start(keep) {
        try {
            await this.#look();
        } catch (error) {
            console.info("the browser's storage cannot be read", error);
            this.#change({ trouble: "This browser keeps no files for this page (a private window, or its data is blocked), so it cannot be kept for offline use.", refused: true });
            return;
        }
        this.#place.addEventListener("click", (event) => {
            const button = event.target instanceof Element ? event.target.closest("button") : null;
            if (button !== null && event.detail < 2) void this.#act(/** @type {OfflineAction} */ (button.dataset.offlineAction));
        });
        document.addEventListener("visibilitychange", () => {
            if (document.visibilityState === "visible") void this.#lookAround();
        });
        setInterval(() => void this.#takeOverWhenAlone(), TAKE_OVER_EVERY_MS);
        void (keep ? this.#keep() : this.#lookAround());
    }

    /** @param {Partial<OfflineState>} change */
    #change(change) {
        this.#state = { ...this.#state, ...change };
        this.#lastDrawn = performance.now();
        renderOffline(this.#place, this.#state);
    }

    async #look() {
        this.#change({ kept: await this.#store.look() });
    }

    /** Another tab, a cell or the browser may have changed what is kept. */
    async #lookAgain() {
        if (this.#state.activity !== null) return;
        try {
            await this.#look();
        } catch (error) {
            console.info("the browser's storage cannot be read", error);
        }
    }

    /** What is kept, and what could be: asked only by readers who keep something. */
    async #lookAround() {
        await this.#lookAgain();
        await this.#takeOverWhenAlone();
        if (this.#state.kept.active === null || this.#state.activity !== null) return;
        try {
            await this.#ask();
        } catch (error) {
            console.info("whether there is a newer build cannot be told", error);
        }
    }

    /** What can be kept now, from the site. */
    async #ask() {
        this.#published = await this.#store.published();
        const { name, build } = this.#published.list;
        this.#change({ published: { name, build } });
        return this.#published;
    }

    /** The page of the build that waits needs nothing of the one before. */
    async #takeOverWhenAlone() {
        const { kept, activity } = this.#state;
        if (activity !== null || kept.waiting === null || kept.waiting.build !== this.#build) return;
        if (await this.#store.takeOver()) await this.#lookAgain();
    }

    /** @param {OfflineAction} action */
    async #act(action) {
        switch (action) {
            case "keep":
                return this.#keep();
            case "cancel":
                return this.#keeping?.abort(new DOMException("The reader cancelled it.", "AbortError"));
            case "reload":
                return this.#reload();
            case "remove":
                return this.#remove();
            default:
                return assertNever(action);
        }
    }

    async #keep() {
        if (this.#state.activity !== null) return;
        const keeping = new AbortController();
        this.#keeping = keeping;
        /** @param {{loadedBytes: number, totalBytes: number, waits: boolean}} activity */
        const tell = (activity) => {
            if (this.#keeping === keeping) this.#change({ activity: { kind: "keeping", ...activity } });
        };
        this.#change({ trouble: "" });
        tell({ loadedBytes: 0, totalBytes: 0, waits: false });
        let trouble = "";
        try {
            // Asked for, where the browser lets a site ask: it then does not clear this away by itself.
            void navigator.storage?.persist?.();
            const published = await this.#ask();
            const { totalBytes } = published.list;
            await this.#store.keep(published, keeping.signal, (loadedBytes) => {
                if (loadedBytes === totalBytes || performance.now() - this.#lastDrawn > PROGRESS_MS) tell({ loadedBytes, totalBytes, waits: false });
            }, () => tell({ loadedBytes: 0, totalBytes, waits: true }));
        } catch (error) {
            trouble = keeping.signal.aborted ? "" : sentenceOf(error);
            if (trouble !== "") console.warn("not kept for offline use", error);
        }
        // What another tab took the lock from goes on by itself.
        keeping.abort(new DOMException("The keeping has ended.", "AbortError"));
        await this.#store.untilRemoved();
        await this.#end(trouble);
        await this.#takeOverWhenAlone();
        this.#announce(summary(this.#state));
    }

    async #remove() {
        if (this.#state.activity?.kind === "removing") return;
        this.#keeping?.abort(new DOMException("The reader removed it.", "AbortError"));
        this.#change({ trouble: "", activity: { kind: "removing" } });
        let trouble = "";
        try {
            await this.#store.remove();
        } catch (error) {
            console.warn("not removed", error);
            trouble = `It could not be removed: ${sentenceOf(error)}`;
        }
        await this.#end(trouble);
        this.#announce(trouble || "Nothing is kept for offline use any more.");
    }

    /** Let the newer build serve, then load its page. */
    async #reload() {
        if (await this.#store.takeOver()) location.reload();
        else this.#change({ trouble: "Another tab still shows this page. Close it, then try again." });
    }

    /** @param {string} trouble */
    async #end(trouble) {
        this.#keeping = null;
        this.#change({ trouble, activity: null });
        await this.#lookAgain();
    }
}

/**
 * @param {object} surroundings
 * @param {string} surroundings.folder  Address of the page's folder, with a slash at its end.
 * @param {string} surroundings.build  The page's.
 * @param {HTMLElement} surroundings.place
 * @param {string} surroundings.offer  What is said while nothing is kept.
 * @param {(sentence: string) => void} surroundings.announce
 * @param {boolean} keep  Whether the reader has asked for it already.
 */
export async function startOffline({ folder, build, place, offer, announce }, keep) {
    attachKeptDownloads(announce);
    await new Offline(new OfflineStore(folder), place, build, offer, announce).start(keep);
}

/** @param {unknown} error */
function sentenceOf(error) {
    if (error instanceof NoRoom) return "This browser has no room for all of it. Free some, then go on.";
    if (error instanceof FileTrouble) return `${error.message}.`;
    if (error instanceof TypeError) return "The site cannot be reached. Try again when there is a network.";
    if (error instanceof DOMException && error.name === "AbortError") return "It was removed in another tab.";
    if (error instanceof DOMException) return `This browser refuses to keep files for this page (${error.message}).`;
    return error instanceof Error ? error.message : String(error);
}
