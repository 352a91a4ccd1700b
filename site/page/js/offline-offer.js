/** Offers to keep the page for offline use. What does it is fetched once it is wanted, or where something is kept. */

import { find } from "./views/dom.js";

const OFFLINE = "page/js/offline.js";
/** It, and what it imports beyond the scripts of the page itself. */
const SCRIPTS = [OFFLINE, "page/js/kept-downloads.js", "page/js/offline-fill.js", "page/js/offline-store.js", "page/js/kept-list.js", "page/js/views/offline.js"];

/**
 * @param {import("./site-files.js").SiteFiles} files
 * @param {(sentence: string) => void} announce
 */
export async function offerOffline(files, announce) {
    // A browser without the means is shown nothing of it.
    if (!isSecureContext || !("serviceWorker" in navigator && "caches" in globalThis && "locks" in navigator)) return;
    const place = find(document, "[data-offline]", HTMLElement);
    const text = find(place, "[data-offline-text]", HTMLElement);
    const button = find(place, "[data-offline-main]", HTMLButtonElement);
    const folder = new URL("./", location.href.split(/[?#]/)[0]).href;
    const offer = text.textContent ?? "";
    let loading = false;
    /** @param {boolean} keep */
    const load = async (keep) => {
        if (loading) return;
        loading = true;
        try {
            await files.check(SCRIPTS);
            const { startOffline } = /** @type {typeof import("./offline.js")} */ (await files.importScript(OFFLINE));
            button.removeEventListener("click", onClick);
            await startOffline({ folder, build: files.site.split("/").at(-2) ?? "", place, offer, announce }, keep);
        } catch (error) {
            console.info("what keeps for offline use did not load", error);
            text.textContent = `${error instanceof Error ? error.message : String(error)}.`;
            place.dataset.offline = "idle";
            loading = false;
        }
    };
    const onClick = () => void load(true);
    button.addEventListener("click", onClick);
    if (await mayBeKept(folder)) await load(false);
    else if (!loading) place.dataset.offline = "idle";
}

/**
 * Whether there is anything to tell of.
 *
 * @param {string} folder
 */
async function mayBeKept(folder) {
    try {
        const registration = await navigator.serviceWorker.getRegistration(folder);
        return registration?.scope === folder || (await caches.keys()).some((name) => name.startsWith("replay-lab kept "));
    } catch {
        // Refused: that is told, too.
        return true;
    }
}
