/** Links that download, where the page is served by its service worker: browsers fetch for such a link past it. */

import { saveFile } from "./views/save-file.js";

/** @param {(sentence: string) => void} announce */
export function attachKeptDownloads(announce) {
    document.addEventListener("click", (event) => {
        const link = event.target instanceof Element ? event.target.closest("a[download]") : null;
        if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || link.origin !== location.origin || link.protocol === "blob:") return;
        if (navigator.serviceWorker.controller === null) return;
        event.preventDefault();
        void save(link, announce);
    });
}

/**
 * @param {HTMLAnchorElement} link
 * @param {(sentence: string) => void} announce
 */
async function save({ href, pathname }, announce) {
    const name = pathname.split("/").at(-1) ?? "file";
    try {
        const response = await fetch(href);
        if (!response.ok) throw new Error(`the answer was ${response.status}`);
        saveFile(name, await response.arrayBuffer(), response.headers.get("content-type") ?? "application/octet-stream");
    } catch (error) {
        console.info("not downloaded", error);
        announce(`${name} is not kept for offline use, and the site cannot be reached.`);
    }
}
