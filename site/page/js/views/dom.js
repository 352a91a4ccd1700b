/**
 * An element with text or children. Text is never read as markup.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
}

/**
 * The one element that a selector finds.
 *
 * @template {Element} T
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new (...args: never[]) => T} kind
 * @returns {T}
 */
export function find(parent, selector, kind) {
    const element = parent.querySelector(selector);
    if (!(element instanceof kind)) throw new Error(`the page has no ${kind.name} at ${selector}`);
    return element;
}

/**
 * Write text only where it changed: a live region speaks at every write.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/**
 * Show whether a button does anything now, without taking the focus from it.
 *
 * @param {HTMLButtonElement} button
 * @param {boolean} enabled
 */
export function setEnabled(button, enabled) {
    if (enabled) button.removeAttribute("aria-disabled");
    else button.setAttribute("aria-disabled", "true");
}
