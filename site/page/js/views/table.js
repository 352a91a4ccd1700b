/** A table of formatted texts. */

import { isJsonObject } from "../protocol.js";
import { make } from "./dom.js";

/**
 * @typedef {{key: string, title: string, numeric: boolean, kind?: "bits" | "mark"}} Column  A mark begins with = or ≠.
 * @typedef {{caption: string, columns: Column[], rows: Record<string, string>[]}} TableContent
 */

export const TABLE_TYPE = "application/vnd.replay-lab.table+json";

/**
 * @param {unknown} value
 * @returns {value is TableContent}
 */
export function isTable(value) {
    return isJsonObject(value) && typeof value.caption === "string" && Array.isArray(value.columns) && Array.isArray(value.rows)
        && value.columns.every(isColumn) && value.rows.every(isRow);
}

/** @param {unknown} column */
function isColumn(column) {
    return isJsonObject(column) && typeof column.key === "string" && typeof column.title === "string" && [undefined, "bits", "mark"].includes(/** @type {string | undefined} */ (column.kind));
}

/** @param {unknown} row */
function isRow(row) {
    return isJsonObject(row) && Object.values(row).every((text) => typeof text === "string");
}

/** @param {TableContent} content */
export function makeTable({ caption, columns, rows }) {
    const head = columns.map((column) => make("th", { scope: "col", ...numeric(column) }, column.title));
    const body = rows.map((row) => make("tr", {}, ...columns.map((column, index) => {
        const text = (Object.hasOwn(row, column.key) ? row[column.key] : undefined) ?? "";
        return index === 0 ? make("th", { scope: "row" }, text) : make("td", kindOf(column, text), text);
    })));
    const table = make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
    return make("div", { class: "table-box", tabindex: "0", role: "group", "aria-label": caption }, table);
}

/**
 * @param {Column} column
 * @param {string} text
 * @returns {Record<string, string>}
 */
function kindOf(column, text) {
    if (column.kind === undefined) return numeric(column);
    return column.kind === "mark" ? { class: "mark", "data-equal": String(text.startsWith("=")) } : { class: column.kind };
}

/**
 * @param {Column} column
 * @returns {Record<string, string>}
 */
function numeric(column) {
    return column.numeric ? { class: "numeric" } : {};
}
