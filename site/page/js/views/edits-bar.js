/** The bar above the cells: whose code is shown, since when, and the way back. */

import { find, setEnabled, setText } from "./dom.js";
import { cellNames } from "./words.js";

/** @typedef {import("../reader-edits.js").EditsReport} EditsReport */

/** @type {Record<import("../kept-edits.js").StorageTrouble, string>} */
const NOT_KEPT = {
    "": "",
    refused: "This browser refuses to keep edits: download the notebook before you leave.",
    full: "This browser's storage for this site is full, so this is not kept: download the notebook before you leave.",
    "too-long": "These edits are too long to be kept in this browser: download the notebook before you leave.",
};

const MOMENT = new Intl.DateTimeFormat("en", { dateStyle: "long", timeStyle: "short" });

/**
 * @param {HTMLElement} bar
 * @param {EditsReport} report
 */
export function renderEditsBar(bar, report) {
    const edited = report.edited.length > 0;
    setText(find(bar, "[data-edits-text]", HTMLElement), barText(report));
    setEnabled(find(bar, "[data-edit-action='show-published']", HTMLButtonElement), edited);
    setEnabled(find(bar, "[data-edit-action='copy-link']", HTMLButtonElement), edited);
    find(bar, "[data-edit-action='bring-back']", HTMLButtonElement).hidden = report.aside === null;
    find(bar, "[data-edit-action='save-rest']", HTMLButtonElement).hidden = !report.rest;
}

/** @param {EditsReport} report */
export function barText(report) {
    return [whose(report), trouble(report), elsewhere(report), setAside(report), rest(report)].filter((sentence) => sentence !== "").join(" ");
}

/** @param {EditsReport} report */
function whose({ edited, origin, since, trouble }) {
    if (edited.length === 0) return "The code below is the published one.";
    const names = capitalized(cellNames(edited));
    const verb = edited.length === 1 ? "is" : "are";
    if (origin === "link") return `${names} ${verb} as a link brought ${edited.length === 1 ? "it" : "them"}, not as published. No link runs anything.`;
    if (origin === "kept" && since !== "") return `${names} ${verb} as you left ${edited.length === 1 ? "it" : "them"} on ${moment(since)}, not as published.`;
    return `${names} ${verb} edited${trouble === "" ? ", and kept in this browser" : ""}.`;
}

/** @param {EditsReport} report */
function trouble({ edited, trouble, unreadableLink }) {
    if (unreadableLink) return "The edits in the address cannot be read.";
    return edited.length > 0 ? NOT_KEPT[trouble] : "";
}

/** @param {EditsReport} report */
function elsewhere({ elsewhere }) {
    return elsewhere.length === 0 ? "" : `Another tab has changed ${cellNames(elsewhere)} since: type here and that text is set aside, reload and it is shown.`;
}

/** @param {EditsReport} report */
function rest({ rest, unreadable }) {
    if (unreadable === "newer") return "A newer version of this page has kept edits in this browser, which this one cannot read; they are left as they are.";
    if (unreadable === "spoiled") return "Something that this browser had kept could not be read; it is left as it is.";
    return rest ? "Other edits of yours are kept too, of cells as they no longer are." : "";
}

/** @param {EditsReport} report */
function setAside({ aside }) {
    if (aside === null) return "";
    const edits = `your edit${aside.cells.length === 1 ? "" : "s"} of ${cellNames(aside.cells)}, ${moment(aside.since)}`;
    return aside.outdated ? `The published text has changed since; set aside: ${edits}.` : `Set aside: ${edits}.`;
}

/** @param {string} iso  From storage, so perhaps no time at all. */
function moment(iso) {
    const time = new Date(iso);
    return Number.isNaN(time.getTime()) ? "an unknown day" : MOMENT.format(time);
}

/** @param {string} text */
function capitalized(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
}
