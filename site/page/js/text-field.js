/** A text field for Python: Tab indents, Escape lets the next Tab leave. */

const INDENT = "    ";

/**
 * @param {HTMLTextAreaElement} field
 * @param {{onChange: (source: string) => void, onRun: (moveOn: boolean) => void}} options
 */
export function attachTextField(field, { onChange, onRun }) {
    let tabLeaves = false;
    field.addEventListener("input", () => onChange(field.value));
    field.addEventListener("blur", () => (tabLeaves = false));
    field.addEventListener("keydown", (event) => {
        if (event.isComposing) return;
        if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            onRun(event.shiftKey);
        } else if (event.key === "Escape") {
            tabLeaves = true;
        } else if (event.key === "Tab" && !tabLeaves && !event.altKey && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            if (event.shiftKey) unindent(field);
            else indent(field);
        } else if (event.key === "Enter") {
            event.preventDefault();
            insert(field, `\n${indentationBelow(lineBefore(field))}`);
        } else if (event.key !== "Tab" && event.key !== "Shift") {
            tabLeaves = false;
        }
    });
}

/** @param {HTMLTextAreaElement} field */
function indent(field) {
    if (field.selectionStart === field.selectionEnd) insert(field, INDENT.slice(lineBefore(field).length % INDENT.length));
    else changeLines(field, (line) => (line === "" ? line : INDENT + line));
}

/** @param {HTMLTextAreaElement} field */
function unindent(field) {
    changeLines(field, (line) => line.replace(/^ {1,4}/, ""));
}

/** The text of the line up to the caret. @param {HTMLTextAreaElement} field */
function lineBefore(field) {
    return field.value.slice(field.value.lastIndexOf("\n", field.selectionStart - 1) + 1, field.selectionStart);
}

/** @param {string} line */
function indentationBelow(line) {
    const own = /^ */.exec(line)?.[0] ?? "";
    return /:\s*(#.*)?$/.test(line) ? own + INDENT : own;
}

/**
 * @param {HTMLTextAreaElement} field
 * @param {(line: string) => string} change
 */
function changeLines(field, change) {
    const start = field.value.lastIndexOf("\n", field.selectionStart - 1) + 1;
    const next = field.value.indexOf("\n", Math.max(start, field.selectionEnd - 1));
    const end = next === -1 ? field.value.length : next;
    const lines = field.value.slice(start, end).split("\n").map(change).join("\n");
    field.setSelectionRange(start, end);
    insert(field, lines);
    field.setSelectionRange(start, start + lines.length);
}

/**
 * Through the browser's own editing where it has it, so that undo knows of it.
 *
 * @param {HTMLTextAreaElement} field
 * @param {string} text
 */
function insert(field, text) {
    if (document.execCommand("insertText", false, text)) return;
    field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
}
