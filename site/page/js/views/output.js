/** The output of a cell: the saved one or the one of this tab, never both. */

import { assertNever } from "../protocol.js";
import { make, setText } from "./dom.js";
import { makeError } from "./error.js";
import { makeCut, makeRest } from "./cut.js";
import { makeFigure, releaseFigures } from "./figure.js";
import { putBackText } from "./put-back.js";
import { makeSafeHtml } from "./safe-html.js";
import { isTable, makeTable, TABLE_TYPE } from "./table.js";
import { makeFindings, makeVerdict } from "./verdict.js";
import { cellNames, seconds } from "./words.js";

/**
 * @typedef {import("../page-state.js").Output} Output
 * @typedef {import("../output-items.js").OutputItem} OutputItem
 */

/** @typedef {{run: number, items: OutputItem[], nodes: Node[], ended: boolean}} Shown  What an own block holds so far. */

/** @type {WeakMap<Element, Shown>} */
const shownBy = new WeakMap();

/**
 * @param {HTMLElement} block  Element of class `own`, kept by the caller across calls.
 * @param {Output} output
 * @param {boolean} outOfDate
 */
export function renderOwnOutput(block, output, outOfDate) {
    let shown = shownBy.get(block);
    if (shown === undefined || shown.run !== output.run) {
        releaseFigures(block);
        block.replaceChildren(make("p", { class: "badge" }));
        shown = { run: output.run, items: [], nodes: [], ended: false };
        shownBy.set(block, shown);
    }
    block.dataset.outcome = output.outcome;
    setText(/** @type {Element} */ (block.firstElementChild), badgeText(output, outOfDate));
    output.items.forEach((item, index) => renderItem(block, /** @type {Shown} */ (shown), item, index));
    if (output.outcome !== "running" && !shown.ended) {
        shown.ended = true;
        renderEnding(block, output);
    }
}

/**
 * @param {Output} output
 * @param {boolean} outOfDate
 */
function badgeText({ outcome, elapsedMs, items, error }, outOfDate) {
    const stale = outOfDate ? ", out of date" : "";
    switch (outcome) {
        case "running":
            return "Computed in this tab, still running";
        case "done":
            return `Computed in this tab, ${seconds(elapsedMs)}${items.length === 0 ? ", nothing printed" : ""}${stale}`;
        case "failed":
            return `Computed in this tab, ended by ${error === null ? "an error" : error.type} after ${seconds(elapsedMs)}`;
        case "interrupted":
            return `Computed in this tab until it was stopped${elapsedMs > 0 ? ` after ${seconds(elapsedMs)}` : ""}`;
        default:
            return assertNever(outcome);
    }
}

/**
 * @param {HTMLElement} block
 * @param {Shown} shown
 * @param {OutputItem} item
 * @param {number} index
 */
function renderItem(block, shown, item, index) {
    const before = shown.items[index];
    if (before === item) return;
    shown.items[index] = item;
    const node = shown.nodes[index];
    if (before?.kind === "stream" && item.kind === "stream" && node instanceof Text) {
        node.appendData(item.text.slice(before.text.length));
        return;
    }
    if (before?.kind === "cut" && node instanceof HTMLElement) {
        shown.nodes[index] = item.kind === "cut" ? makeCut(item) : makeRest(item.kind === "stream" ? item.text : "");
        node.replaceWith(shown.nodes[index]);
        return;
    }
    if (item.kind === "stream") {
        const text = new Text(item.text);
        shown.nodes[index] = text;
        block.append(make("pre", { class: "stream", tabindex: "0", "data-name": item.name }, text));
        return;
    }
    const element = makeElement(item);
    shown.nodes[index] = element;
    if (element.matches(".plot")) plotsAtEnd(block).append(element);
    else block.append(element);
}

/** @param {Exclude<OutputItem, import("../output-items.js").StreamItem>} item */
function makeElement(item) {
    switch (item.kind) {
        case "cut":
            return makeCut(item);
        case "put-back":
            return make("p", { class: "quiet" }, putBackText(item));
        case "display":
            return makeDisplay(item);
        default:
            return assertNever(item);
    }
}

/** Where figures stand side by side. @param {HTMLElement} block */
function plotsAtEnd(block) {
    const last = block.lastElementChild;
    if (last?.matches(".plots")) return last;
    const plots = make("div", { class: "plots" });
    block.append(plots);
    return plots;
}

/** @param {import("../output-items.js").DisplayItem} item */
function makeDisplay({ data, metadata }) {
    const table = data[TABLE_TYPE];
    if (isTable(table)) return makeTable(table);
    const html = data["text/html"];
    return makeFigure(data, metadata) ?? (typeof html === "string" ? makeSafeHtml(html) : null) ?? make("pre", { class: "value", tabindex: "0" }, typeof data["text/plain"] === "string" ? data["text/plain"] : "a value without a text form");
}

/**
 * What to do where published code does not do what it should after other code has run.
 *
 * @param {Output} output
 */
function blameText({ error, agreement, made, after }) {
    const well = error === null ? agreement === null || agreement.status === "same" : error.type === "EndOfPython";
    if (well || after.length === 0 || !made.every(({ asPublished }) => asPublished)) return "";
    return `This is the published code, but ${cellNames(after)} ran before it in this Python with other code and may have changed what it builds on. Restart Python, then run again.`;
}

/**
 * @param {HTMLElement} block
 * @param {Output} output
 */
function renderEnding(block, output) {
    const badge = /** @type {Element} */ (block.firstElementChild);
    const blame = blameText(output);
    if (output.error !== null) badge.after(makeError(blame === "" ? output.error : { ...output.error, hint: blame }, output.made.at(-1)?.source ?? ""));
    if (output.agreement === null) return;
    if (blame !== "") badge.after(make("p", { class: "error-next" }, blame));
    badge.after(makeVerdict(output.agreement));
    // The saved run's own findings stand in the article; those of other settings only here.
    if (output.agreement.status !== "same") block.append(makeFindings(output.agreement));
}
