/** Keep for offline use: one sentence, a bar, two buttons. */

import { find, setText } from "./dom.js";
import { megabytes } from "./words.js";

/**
 * @typedef {import("../offline-store.js").Kept} Kept
 * @typedef {import("../offline-store.js").Copy} Copy
 * @typedef {"keep" | "cancel" | "reload" | "remove"} OfflineAction  The values of data-offline-action.
 *
 * @typedef {object} OfflineState
 * @property {string} build  Of this page.
 * @property {string} offer  What is said while nothing is kept.
 * @property {Kept} kept
 * @property {{name: string, build: string} | null} published  What can be kept now; null until the site was asked.
 * @property {{kind: "keeping", loadedBytes: number, totalBytes: number, waits: boolean} | {kind: "removing"} | null} activity
 * @property {string} trouble  What went wrong last; empty when nothing did.
 * @property {boolean} [refused]  The browser keeps nothing at all.
 *
 * @typedef {object} Description
 * @property {string} text
 * @property {{label: string, action: OfflineAction} | null} main
 * @property {boolean} canRemove
 */

/**
 * @param {HTMLElement} place
 * @param {OfflineState} state
 */
export function renderOffline(place, state) {
    const { text, main, canRemove } = describeOffline(state);
    const { activity, trouble } = state;
    setText(find(place, "[data-offline-text]", HTMLElement), text);
    place.dataset.offline = activity?.kind ?? "idle";
    place.toggleAttribute("data-trouble", trouble !== "" && !state.refused);
    const bar = find(place, "[data-offline-progress]", HTMLProgressElement);
    const arriving = activity?.kind === "keeping" && activity.totalBytes > 0;
    bar.max = arriving ? activity.totalBytes : 1;
    bar.value = arriving ? activity.loadedBytes : 0;
    bar.hidden = activity?.kind !== "keeping";
    const [button, remove] = [find(place, "[data-offline-main]", HTMLButtonElement), find(place, "[data-offline-action='remove']", HTMLButtonElement)];
    const focused = place.contains(document.activeElement);
    button.hidden = main === null;
    if (main !== null) {
        setText(button, main.label);
        button.dataset.offlineAction = main.action;
    }
    remove.hidden = !canRemove;
    // Where the pressed button goes away, the other one is next to it.
    if (focused && !place.contains(document.activeElement)) (main === null ? remove : button).focus();
}

/**
 * @param {OfflineState} state
 * @returns {Description}
 */
export function describeOffline(state) {
    const { kept, activity, trouble, refused = false } = state;
    if (refused) return { text: trouble, main: null, canRemove: false };
    if (activity?.kind === "removing") return { text: "Removing what was kept.", main: null, canRemove: true };
    if (activity?.kind === "keeping") return { text: keepingText(activity), main: { label: "Cancel", action: "cancel" }, canRemove: false };
    const main = mainButton(state);
    return { text: [trouble, summary(state)].filter(Boolean).join(" "), main, canRemove: kept.active !== null || kept.waiting !== null || kept.partial !== null };
}

/** @param {Extract<OfflineState["activity"], {kind: "keeping"}>} activity */
function keepingText({ loadedBytes, totalBytes, waits }) {
    if (waits) return "Another tab is keeping these files; this one waits for it.";
    if (totalBytes === 0) return "Keeping for offline use: asking for the list of files.";
    return `Keeping for offline use: ${megabytes(loadedBytes)} of ${megabytes(totalBytes)} MB are here.`;
}

/**
 * What is kept, in words.
 *
 * @param {OfflineState} state
 */
export function summary(state) {
    const { kept: { active, waiting, partial }, build, offer } = state;
    if (waiting !== null) {
        const when = waiting.build === build ? "once no other tab shows this page" : "when this page is loaded anew and no other tab shows it";
        return `A newer build is kept, too, ${inMegabytes(waiting)}. It takes the place of the older one ${when}.`;
    }
    if (active !== null) {
        if (isDamaged(active)) return `Of what was kept for offline use, ${active.keptBytes === 0 ? "all" : inMegabytes({ keptBytes: active.totalBytes - active.keptBytes })} is missing: it was removed or changed. Keep it again to use the page offline.`;
        return `Kept for offline use, ${inMegabytes(active)}.${newer(state)}${partialText(partial)}`;
    }
    if (partial !== null) return `${megabytes(partial.keptBytes)} of ${megabytes(partial.totalBytes)} MB are kept; the page opens offline when all of it is.`;
    return offer;
}

/** @param {OfflineState} state */
function newer({ kept: { active }, published, build }) {
    if (active === null) return "";
    if (published !== null && published.name !== active.name) return published.build === build ? " This page is of a newer build." : " A newer build is published.";
    if (active.build !== build) return " This page is of another build until it is loaded anew.";
    return "";
}

/** @param {Copy | null} partial */
function partialText(partial) {
    return partial === null ? "" : ` Of another build ${megabytes(partial.keptBytes)} of ${megabytes(partial.totalBytes)} MB are kept.`;
}

/**
 * @param {OfflineState} state
 * @returns {Description["main"]}
 */
function mainButton({ kept: { active, waiting, partial }, published, build, trouble }) {
    if (waiting !== null) return waiting.build === build ? null : { label: "Load the newer build", action: "reload" };
    if (active !== null && isDamaged(active)) return { label: "Keep it again", action: "keep" };
    if (active !== null) return published !== null && published.name !== active.name ? { label: "Update", action: "keep" } : null;
    if (partial !== null) return { label: "Go on", action: "keep" };
    return { label: trouble === "" ? "Keep for offline use" : "Try again", action: "keep" };
}

/** @param {Copy} copy */
function isDamaged({ keptBytes, totalBytes }) {
    return totalBytes === 0 || keptBytes < totalBytes;
}

/** @param {{keptBytes: number}} copy */
function inMegabytes({ keptBytes }) {
    return `${Math.round(keptBytes / 1e6)} MB`;
}
