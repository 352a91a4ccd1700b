/** A figure of this tab: an image from a blob address, with its files. */

import { isJsonObject } from "../protocol.js";
import { make } from "./dom.js";

/** @typedef {import("../protocol.js").JsonObject} JsonObject */

/**
 * @param {JsonObject} data  By media type.
 * @param {JsonObject} metadata
 * @returns {HTMLElement | null}  Null when there is no picture in it.
 */
export function makeFigure(data, metadata) {
    const picture = pictureOf(data);
    if (picture === null) return null;
    const extra = isJsonObject(metadata.replay_lab) ? metadata.replay_lab : {};
    const name = textOf(extra.name) || "figure";
    const image = make("img", { src: URL.createObjectURL(picture), alt: textOf(extra.alt) || altOf(metadata) || "A figure without a description" });
    keepPlace(image, data);
    const links = make("span", { class: "figure-links" }, ...fileLinks(data, name));
    if (extra.name !== undefined) {
        links.append(make("button", { type: "button", class: "link", "data-save": "file", "data-name": `${name}.csv`, "aria-label": `CSV of ${name}` }, "CSV"));
    }
    links.append(make("button", { type: "button", class: "link", "data-enlarge": "", "aria-pressed": "false", "aria-label": `Full width of ${name}` }, "Full width"));
    return make("figure", { class: "plot" }, image, make("figcaption", {}, `${textOf(extra.caption)} `, links));
}

/**
 * Give an image the shape of its file, so that nothing moves when it is decoded.
 *
 * @param {HTMLImageElement} image
 * @param {JsonObject} data
 */
function keepPlace(image, data) {
    const found = /viewBox="0 0 ([0-9.]+) ([0-9.]+)"/.exec(textOf(data["image/svg+xml"]));
    if (found === null) return;
    image.width = Math.round(Number(found[1]) * 10);
    image.height = Math.round(Number(found[2]) * 10);
}

/**
 * Free the blob addresses below an element that leaves the page.
 *
 * @param {Element} element
 */
export function releaseFigures(element) {
    for (const holder of element.querySelectorAll("[src^='blob:'], [href^='blob:']")) {
        URL.revokeObjectURL(holder.getAttribute("src") ?? holder.getAttribute("href") ?? "");
    }
}

/**
 * @param {JsonObject} data
 * @param {string} name
 */
function fileLinks(data, name) {
    const kinds = /** @type {const} */ ([["image/svg+xml", "svg"], ["image/png", "png"]]);
    return kinds.flatMap(([type, suffix]) => {
        const picture = blobOf(data, type);
        if (picture === null) return [];
        const label = suffix.toUpperCase();
        return [make("a", { href: URL.createObjectURL(picture), download: `${name}.${suffix}`, "aria-label": `${label} of ${name}` }, label)];
    });
}

/** @param {JsonObject} data */
function pictureOf(data) {
    return blobOf(data, "image/svg+xml") ?? blobOf(data, "image/png");
}

/**
 * @param {JsonObject} data
 * @param {string} type
 */
function blobOf(data, type) {
    const content = data[type];
    if (typeof content !== "string") return null;
    const bytes = type === "image/png" ? bytesOf(content) : content;
    return bytes === null ? null : new Blob([bytes], { type });
}

/** Null where this is no base64. @param {string} base64 */
function bytesOf(base64) {
    try {
        return Uint8Array.from(atob(base64.replace(/\s/g, "")), (letter) => letter.charCodeAt(0));
    } catch {
        return null;
    }
}

/** @param {JsonObject} metadata */
function altOf(metadata) {
    for (const type of ["image/svg+xml", "image/png"]) {
        const entry = metadata[type];
        if (isJsonObject(entry) && typeof entry.alt === "string") return entry.alt;
    }
    return "";
}

/** @param {unknown} value */
function textOf(value) {
    return typeof value === "string" ? value : "";
}
