/**
 * The first script, which the browser itself has checked; it imports no other before that one is checked, too.
 *
 * The page names each of its scripts with a digest. Chromium and Firefox hold an import to it, WebKit does not: so each
 * is fetched and compared here, then imported from the same address. Where that fails, this says which file is at fault.
 */

/** Characters of a digest that a reader compares. */
const SHOWN = 16;

const links = [...document.querySelectorAll("link[rel=modulepreload]")].filter((link) => link instanceof HTMLLinkElement);

try {
    await Promise.all(links.map(({ href, integrity }) => fetch(href, { integrity })));
    await import("./main.js");
} catch (error) {
    await explain(error);
}

/** @param {unknown} error */
async function explain(error) {
    const troubles = (await Promise.all(links.map(troubleWith))).filter((trouble) => trouble !== "");
    tell(troubles[0] ?? `the page's scripts did not start (${error instanceof Error ? error.message : String(error)})`);
    if (troubles.length === 0) throw error;
    console.info("The page's scripts were not started:", ...troubles);
}

/**
 * What is wrong with a script, asked for past whatever the browser has kept of it.
 *
 * @param {HTMLLinkElement} link
 */
async function troubleWith({ href, integrity }) {
    const name = href.slice(new URL("../../", import.meta.url).href.length);
    try {
        const response = await fetch(href, { cache: "reload" });
        // So answers the service worker for what it would not serve.
        if (response.headers.get("x-replay-lab") === "not-kept") return `${name} is not among the files kept for offline use, and the site cannot be reached`;
        if (!response.ok) return `${name} could not be fetched: the server answered ${response.status}`;
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.arrayBuffer()));
        const found = `sha256-${btoa(String.fromCharCode(...digest))}`;
        return found === integrity ? "" : `${name} is not the file this page was built with (${found.slice(0, SHOWN)}…, expected ${integrity.slice(0, SHOWN)}…)`;
    } catch {
        return `${name} could not be fetched: the connection to the server failed`;
    }
}

/** Past what the browser has kept: it would take damaged scripts from there again. */
async function startAgain() {
    await Promise.allSettled(links.map(({ href }) => fetch(href, { cache: "reload" })));
    location.reload();
}

/** @param {string} trouble */
function tell(trouble) {
    const sentence = /** @type {HTMLElement} */ (document.querySelector("p[data-cannot-run]"));
    const retry = document.createElement("button");
    retry.type = "button";
    retry.textContent = "Retry";
    retry.addEventListener("click", () => void startAgain());
    sentence.replaceChildren(`Everything can be read, but nothing can be run: ${trouble}. Retry loads the page again; if it stays, the site's copy is damaged. `, retry);
    sentence.hidden = false;
    document.documentElement.dataset.cannotRun = "";
}
