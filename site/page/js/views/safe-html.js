/** Markup that code gave as a value, reduced to text and tables. It is read, never inserted. */

import { make } from "./dom.js";

/** Elements that are made anew, with the attributes that they keep. @type {Record<string, string[]>} */
const KEPT = {
    table: [], caption: [], thead: [], tbody: [], tfoot: [], tr: [], th: ["colspan", "rowspan", "scope"], td: ["colspan", "rowspan"],
    p: [], br: [], hr: [], ul: [], ol: [], li: [], dl: [], dt: [], dd: [], pre: [], code: [], blockquote: [],
    b: [], strong: [], i: [], em: [], sub: [], sup: [], small: [],
};

/** Elements whose text is no text for people. */
const DROPPED = new Set(["script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "math", "head", "title", "select", "textarea"]);

const BLOCKS = new Set(["div", "section", "article", "header", "footer", "main", "figure", "h1", "h2", "h3", "h4", "h5", "h6"]);
const NODE_LIMIT = 20_000;
const DEPTH_LIMIT = 50;

/**
 * @param {string} html
 * @returns {HTMLElement | null}  Null when nothing readable is in it.
 */
export function makeSafeHtml(html) {
    // The document made here is inert: it runs nothing and loads nothing. The policy holds in it all the same and would log each style.
    const quiet = html.replace(/<(\/?)style/gi, "<$1template").replace(/([\s"'/])(?:style|on[a-z]+)(\s*=)/gi, "$1data-dropped$2");
    const { body } = new DOMParser().parseFromString(quiet, "text/html");
    const budget = { nodes: NODE_LIMIT };
    const box = make("div", { class: "table-box value-html", tabindex: "0", role: "group", "aria-label": "Value of this cell" });
    box.append(...copies(body, budget, 0));
    if (budget.nodes < 0) box.append(make("p", { class: "quiet" }, "The rest of this value is not shown."));
    return box.textContent?.trim() ? box : null;
}

/**
 * @param {Node} parent
 * @param {{nodes: number}} budget
 * @param {number} depth
 * @returns {Node[]}
 */
function copies(parent, budget, depth) {
    if (depth > DEPTH_LIMIT) return [];
    return [...parent.childNodes].flatMap((node) => {
        budget.nodes -= 1;
        if (budget.nodes < 0) return [];
        if (node instanceof Text) return [new Text(node.data)];
        return node instanceof Element ? copyOf(node, budget, depth) : [];
    });
}

/**
 * @param {Element} element
 * @param {{nodes: number}} budget
 * @param {number} depth
 * @returns {Node[]}
 */
function copyOf(element, budget, depth) {
    const name = element.localName;
    if (DROPPED.has(name)) return [];
    const children = copies(element, budget, depth + 1);
    const kept = Object.hasOwn(KEPT, name) ? KEPT[name] : undefined;
    if (kept === undefined) return BLOCKS.has(name) ? [make("p", {}, ...children)] : children;
    const copy = document.createElement(name);
    for (const attribute of kept) {
        const value = element.getAttribute(attribute);
        if (value !== null && /^[a-z0-9]{1,8}$/i.test(value)) copy.setAttribute(attribute, value);
    }
    copy.append(...children);
    return [copy];
}
