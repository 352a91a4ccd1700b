/**
 * Serves the kept build of this site where there is no network: what the reader asked to be kept, and only as it was built.
 *
 * Python in a cell can write into the same storage, so nothing that comes out of it is trusted: a file is served if its
 * SHA-256 is the one listed below, with the type and the headers from below, and otherwise fetched. Nothing but a cell
 * could change the storage, and a cell cannot change this script. The page fills the storage, see js/offline-store.js.
 *
 * @typedef {{sha256: string, size: number, type: string}} KeptFile
 * @typedef {object} KeptBuild
 * @property {string} name  Of this list, by its content; the page registers this script under `?kept=<name>`.
 * @property {string} build  The digest of the build.
 * @property {Record<string, string>} headers  Sent with every answer.
 * @property {Record<string, KeptFile>} files  By address below this script's folder; the page itself is "".
 */

// A cell can start any file of the site as a worker; this one does nothing there.
if (!("ServiceWorkerGlobalScope" in self && self instanceof ServiceWorkerGlobalScope)) {
    throw new Error("service-worker.js runs only as the service worker of this site");
}

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** The build puts its list in place of the quoted text. @type {KeptBuild} */
const KEPT = JSON.parse("the list of kept files");

const FOLDER = new URL("./", worker.location.href).href;
/** Other sites on this host have caches, too. */
const CACHES_OF_THIS_SITE = `replay-lab kept ${new URL(FOLDER).pathname} `;
const CACHE = CACHES_OF_THIS_SITE + KEPT.name;
const PAGE = "";
/** Where the page sees what is published now. */
const SCRIPT = "service-worker.js";
/** So long the network has for the page itself before the kept one is shown. */
const PAGE_WAIT_MS = 3000;

worker.addEventListener("install", (event) => event.waitUntil(checkComplete()));
worker.addEventListener("activate", (event) => event.waitUntil(takeOver()));
worker.addEventListener("message", (event) => event.waitUntil(answerMessage(event.data)));
worker.addEventListener("fetch", (event) => {
    const answer = answerTo(event.request);
    if (answer !== null) event.respondWith(answer);
});

/** Nothing is served by halves: this script gets to work only once its whole build is there. */
async function checkComplete() {
    const asked = new URL(worker.location.href).searchParams.get("kept");
    if (asked !== KEPT.name) throw new Error(`this is the list ${KEPT.name}, the page asked for ${asked}`);
    const names = await caches.keys();
    const kept = names.includes(CACHE) ? await (await caches.open(CACHE)).keys() : [];
    const addresses = new Set(kept.map(({ url }) => url));
    const lacking = Object.keys(KEPT.files).filter((address) => !addresses.has(FOLDER + address));
    if (lacking.length > 0) throw new Error(`${lacking.length} files are not kept yet, among them ${lacking[0]}`);
}

/** The one step from the build before to this one. */
async function takeOver() {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith(CACHES_OF_THIS_SITE) && name !== CACHE).map((name) => caches.delete(name)));
    await worker.clients.claim();
}

/**
 * The only message that means anything: a page asks to be served by this build instead of the one before. Whoever sends
 * it, it is done only if no second page is open, which might still need files of the build before.
 *
 * @param {unknown} message
 */
async function answerMessage(message) {
    if (message !== "take over") return;
    const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (windows.filter(({ url }) => isPage(addressOf(url))).length <= 1) await worker.skipWaiting();
}

/**
 * @param {Request} request
 * @returns {Promise<Response> | null}  Null where the browser goes on by itself.
 */
function answerTo(request) {
    const address = addressOf(request.url);
    if (address === null || request.method !== "GET" || request.headers.has("range")) return null;
    if (isPage(address)) return request.mode === "navigate" ? page(request) : null;
    if (address === SCRIPT) return published(request);
    const listed = Object.hasOwn(KEPT.files, address);
    return listed || address.startsWith(`b/${KEPT.build}/`) ? keptOrFetched(address, request) : null;
}

/**
 * The address below this script's folder, or null.
 *
 * @param {string} url
 */
function addressOf(url) {
    const [address = ""] = url.split("#");
    return address.startsWith(FOLDER) ? address.slice(FOLDER.length) : null;
}

/** The document may carry a query. @param {string | null} address */
function isPage(address) {
    return address !== null && /^(index\.html)?(\?.*)?$/.test(address);
}

/** @param {Request} request */
async function page(request) {
    const late = new Promise((resolve) => setTimeout(resolve, PAGE_WAIT_MS, null));
    const fetched = await Promise.race([whole(request), late]);
    return fetched ?? (await kept(PAGE)) ?? refusal("The site cannot be reached, and the page that was kept for offline use is gone or was changed. Load it again when the site can be reached.");
}

/**
 * The answer of the network once all of it is there; null for one that is no page.
 *
 * @param {Request} request
 */
async function whole(request) {
    try {
        // What the browser has kept of it by itself may belong to a build of which it has nothing else.
        const answer = await fetch(request.url, { cache: "no-cache", redirect: "manual" });
        // The browser itself follows where the host points to.
        if (answer.type === "opaqueredirect") return answer;
        if (!answer.ok) return null;
        await answer.clone().arrayBuffer();
        return answer;
    } catch {
        return null;
    }
}

/**
 * @param {string} address
 * @param {Request} request
 */
async function keptOrFetched(address, request) {
    const found = await kept(address);
    if (found !== null) return found;
    try {
        return await fetch(request);
    } catch {
        return refusal(`${address} is not kept for offline use, and the site cannot be reached.`);
    }
}

/**
 * What the site offers now; nothing where it cannot be reached, which is no error.
 *
 * @param {Request} request
 */
async function published(request) {
    try {
        return await fetch(request);
    } catch {
        return new Response(null, { status: 204, headers: KEPT.headers });
    }
}

/**
 * A kept file as it was built, or null.
 *
 * @param {string} address
 */
async function kept(address) {
    const file = Object.hasOwn(KEPT.files, address) ? KEPT.files[address] : undefined;
    if (file === undefined) return null;
    try {
        const entry = await caches.match(FOLDER + address, { cacheName: CACHE, ignoreVary: true });
        if (entry === undefined) return null;
        const content = await entry.arrayBuffer();
        if ((await digestOf(content)) === file.sha256) return new Response(content, { headers: { ...KEPT.headers, "Content-Type": file.type } });
        // Without it the page sees that something is missing.
        await (await caches.open(CACHE)).delete(FOLDER + address);
    } catch (error) {
        console.info("the kept files cannot be read", error);
    }
    return null;
}

/** @param {string} sentence */
function refusal(sentence) {
    const headers = { ...KEPT.headers, "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", "X-Replay-Lab": "not-kept" };
    return new Response(`${sentence}\n`, { status: 504, headers });
}

/** @param {ArrayBuffer} content */
async function digestOf(content) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
