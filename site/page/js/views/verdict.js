/** The verdict: one line that opens into what was compared. */

import { isJsonObject } from "../protocol.js";
import { make } from "./dom.js";
import { makeTable } from "./table.js";

/**
 * @typedef {import("../protocol.js").JsonObject} JsonObject
 * @typedef {{name: string, saved: string, here: string, equal: boolean}} Pair
 */

/** @param {JsonObject} agreement */
export function makeVerdict(agreement) {
    const [claim = "", ...rest] = String(agreement.headline).split(": ");
    const detail = make("span", { class: "verdict-detail" }, `${rest.join(": ")} `, make("span", { class: "verdict-open" }, "evidence"));
    const line = make("span", {}, rest.length > 0 ? `${claim}: ` : claim, detail);
    const verdict = make("details", { class: "verdict", "data-status": String(agreement.status) }, make("summary", {}, line));
    verdict.append(make("div", { class: "verdict-body" }, ...evidence(agreement)));
    return verdict;
}

/**
 * What was compared, what differs first, and where the two runs were made.
 *
 * @param {JsonObject} agreement
 * @returns {HTMLElement[]}
 */
function evidence(agreement) {
    const parts = [];
    if (typeof agreement.first_difference === "string") parts.push(make("p", { class: "first-difference" }, agreement.first_difference));
    const settings = pairsOf(agreement.settings);
    if (settings.length > 0) parts.push(pairTable("Settings that differ from the saved run", settings));
    const rows = listOf(agreement.rows);
    const digests = pairsOf(agreement.digests);
    if (rows.length + digests.length > 0) parts.push(make("p", { class: "scope" }, scopeOf(rows, digests)));
    const differences = differencesOf(rows);
    if (differences.length > 0) parts.push(differenceTable(differences));
    const environment = pairsOf(agreement.environment).sort((a, b) => Number(a.equal) - Number(b.equal));
    parts.push(make(
        "div", { class: "side-by-side" },
        ...(rows.length > 0 ? [rowTable(rows)] : []),
        ...(environment.length > 0 ? [pairTable("Where the two runs were made, differences first", environment)] : []),
    ));
    if (digests.length > 0) parts.push(pairTable("SHA-256 digests", digests, "bits"));
    parts.push(receipt());
    return parts;
}

/**
 * What the verdict rests on, counted.
 *
 * @param {JsonObject[]} rows
 * @param {Pair[]} digests
 */
function scopeOf(rows, digests) {
    const counted = [
        ...(rows.length > 0 ? [`every number of ${rows.length} rows`] : []),
        ...(digests.length > 0 ? [`${digests.length} SHA-256 digests, which stand for every weight of every step and for the data of each figure`] : []),
    ];
    return `Compared as bit patterns, without a tolerance: ${counted.join("; ")}.`;
}

/** The evidence as a file. */
function receipt() {
    return make(
        "div", { class: "receipt" },
        make("button", { type: "button", "data-save": "receipt" }, "Download receipt"),
        make("span", {}, "The whole comparison with the code that ran, as JSON. The downloaded notebook carries it too."),
    );
}

/**
 * What this run shows, said outside the folded part when there is nothing to compare it with.
 *
 * @param {JsonObject} agreement
 */
export function makeFindings(agreement) {
    const findings = Array.isArray(agreement.findings) ? agreement.findings.map(String) : [];
    return make("ul", { class: "findings" }, ...findings.map((text) => make("li", {}, text)));
}

/**
 * @param {string} caption
 * @param {Pair[]} pairs
 * @param {"bits"} [kind]  Of the saved run's texts.
 */
function pairTable(caption, pairs, kind) {
    return makeTable({
        caption,
        columns: columns({ name: "Name", saved: "Saved run", here: "This tab" }, { here: "mark", ...(kind === undefined ? {} : { saved: kind }) }),
        rows: pairs.map(({ name, saved, here, equal }) => ({ name, saved, here: equal ? mark(true) : `≠ ${here}` })),
    });
}

/** @param {JsonObject[]} rows */
function rowTable(rows) {
    return makeTable({
        caption: "Rows, every number compared as bits",
        columns: columns({ scenario: "Scenario", equal: "Bits" }, { equal: "mark" }),
        rows: rows.map((row) => ({ scenario: String(row.scenario), equal: mark(row.equal === true) })),
    });
}

/** @param {Record<string, string>[]} rows */
function differenceTable(rows) {
    return makeTable({
        caption: "Numbers that differ, with their bit patterns",
        columns: columns({ scenario: "Scenario", key: "Number", saved: "Saved run", saved_bits: "Bits", here: "This tab", here_bits: "Bits" }, { saved_bits: "bits", here_bits: "bits" }),
        rows,
    });
}

/**
 * @param {unknown} rows
 * @returns {Record<string, string>[]}
 */
function differencesOf(rows) {
    return listOf(rows).flatMap((row) => listOf(row.differences).map((difference) => ({
        scenario: String(row.scenario),
        key: String(difference.key),
        saved: String(difference.saved),
        here: String(difference.here),
        saved_bits: String(difference.saved_bits ?? ""),
        here_bits: String(difference.here_bits ?? ""),
    })));
}

/**
 * @param {Record<string, string>} titles
 * @param {Record<string, "bits" | "mark">} [kinds]
 */
function columns(titles, kinds = {}) {
    return Object.entries(titles).map(([key, title]) => ({ key, title, numeric: false, kind: kinds[key] }));
}

/** @param {boolean} equal */
function mark(equal) {
    return equal ? "= same" : "≠ differs";
}

/**
 * @param {unknown} value
 * @returns {JsonObject[]}
 */
function listOf(value) {
    return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/**
 * @param {unknown} value
 * @returns {Pair[]}
 */
function pairsOf(value) {
    return listOf(value).map((pair) => ({
        name: String(pair.name),
        saved: String(pair.saved),
        here: String(pair.here),
        equal: pair.equal === true,
    }));
}
