/**
 * The code of one cell: a text field until someone goes to edit, then the editor library in its place.
 * The only file that knows the library, whose bytes travel when they are first wanted.
 */

import { highlighting, THEME } from "./editor-style.js";
import { attachTextField } from "./text-field.js";
import { make } from "./views/dom.js";

/**
 * @typedef {import("./editor-types.js").EditorLibrary} EditorLibrary
 * @typedef {import("./editor-types.js").EditorView} EditorView
 * @typedef {import("./editor-types.js").Extension} Extension
 * @typedef {import("./editor-types.js").CompletionContext} CompletionContext
 *
 * @typedef {object} EditorOptions
 * @property {string} label  Accessible name, the same before and after.
 * @property {string} text
 * @property {(text: string) => void} onChange  The reader changed the text.
 * @property {(moveOn: boolean) => void} onRun
 * @property {() => Promise<EditorLibrary>} loadLibrary
 * @property {(typed: string) => Promise<string[]>} complete  Names, dotted ones in full, that begin with what was typed.
 *
 * @typedef {object} Editor
 * @property {string} text
 * @property {(text: string) => void} replace  Another text from outside; undo brings the one before back.
 * @property {(line: number | null) => void} markLine
 * @property {() => void} focus
 * @property {() => void} freeze  From now on the text can only be read.
 */

const INDENT = "    ";

/** @type {Promise<EditorLibrary> | null} */
let library = null;

/**
 * @param {HTMLElement} parent  Its content is replaced.
 * @param {EditorOptions} options
 * @returns {Editor}
 */
export function createEditor(parent, options) {
    const field = make("textarea", {
        "aria-label": options.label, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
    });
    /** Texts before a replacement, so that undo knows of them later. */
    const past = [options.text];
    let composing = false;
    /** @type {number | null} */
    let failing = null;
    /** @type {Mounted | null} */
    let mounted = null;

    /** @param {string} text */
    const fill = (text) => {
        field.value = text;
        fitHeight(field);
    };
    const upgrade = () => {
        if (mounted !== null || field.readOnly) return;
        library ??= options.loadLibrary();
        library.then(takeOver, stayPlain);
    };
    /** @param {EditorLibrary} loaded */
    const takeOver = (loaded) => {
        if (mounted !== null || !field.isConnected) return;
        // What an input method is composing must not lose its field.
        if (composing) return void field.addEventListener("compositionend", () => setTimeout(() => takeOver(loaded)), { once: true });
        const focused = document.activeElement === field;
        mounted = mount(loaded, { parent, field, past, options });
        mounted.markLine(failing);
        if (focused) mounted.view.focus();
    };

    fill(options.text);
    attachTextField(field, {
        onRun: options.onRun,
        onChange(text) {
            fitHeight(field);
            options.onChange(text);
        },
    });
    field.addEventListener("focus", upgrade);
    field.addEventListener("compositionstart", () => (composing = true));
    field.addEventListener("compositionend", () => (composing = false));
    parent.replaceChildren(field);

    return {
        get text() {
            return mounted?.view.state.doc.toString() ?? field.value;
        },
        replace(text) {
            if (mounted !== null) {
                mounted.replace(text);
                return;
            }
            past.push(field.value);
            fill(text);
        },
        markLine(line) {
            failing = line;
            if (mounted !== null) mounted.markLine(line);
            else if (line !== null) upgrade();
        },
        focus() {
            if (mounted === null) field.focus();
            else mounted.view.focus();
        },
        freeze() {
            field.readOnly = true;
        },
    };
}

/** Without the library the text field goes on. @param {unknown} reason */
function stayPlain(reason) {
    library = null;
    console.info("the editor could not be loaded; the text field stays", reason);
}

/** Where the browser cannot size a field by its content. @param {HTMLTextAreaElement} field */
function fitHeight(field) {
    field.rows = field.value.split("\n").length;
}

/** @typedef {{view: EditorView, replace(text: string): void, markLine(line: number | null): void}} Mounted */

/**
 * Put the library's editor in the place of the field, with its text, selection and past.
 *
 * @param {EditorLibrary} loaded
 * @param {{parent: HTMLElement, field: HTMLTextAreaElement, past: string[], options: EditorOptions}} of
 * @returns {Mounted}
 */
function mount(loaded, { parent, field, past, options }) {
    const { EditorState, EditorView, Transaction, isolateHistory } = loaded;
    const failingLine = makeFailingLine(loaded);
    const host = make("div", { class: "editor" });
    // A strict policy refuses the library's style elements; a shadow tree takes its sheets instead.
    const root = host.attachShadow({ mode: "open" });
    const [doc = "", ...later] = [...past, field.value];
    const { selectionStart, selectionEnd, selectionDirection, scrollLeft } = field;
    const view = new EditorView({
        root,
        parent: root,
        state: EditorState.create({ doc, extensions: [...extensions(loaded, options), failingLine.extension] }),
    });
    /** @param {string} text */
    const replace = (text) => {
        if (text === view.state.doc.toString()) return;
        view.dispatch({
            changes: { from: 0, to: view.state.doc.length, insert: text },
            annotations: [Transaction.userEvent.of("replace"), isolateHistory.of("full")],
        });
    };
    later.forEach(replace);
    const backwards = selectionDirection === "backward";
    view.dispatch({ selection: backwards ? { anchor: selectionEnd, head: selectionStart } : { anchor: selectionStart, head: selectionEnd } });
    parent.replaceChildren(host);
    view.scrollDOM.scrollLeft = scrollLeft;
    return { view, replace, markLine: (line) => failingLine.mark(view, line) };
}

/**
 * @param {EditorLibrary} loaded
 * @param {EditorOptions} options
 * @returns {Extension[]}
 */
function extensions(loaded, options) {
    const { EditorView, keymap, Prec } = loaded;
    return [
        EditorView.theme(THEME),
        EditorView.contentAttributes.of({ "aria-label": options.label, tabindex: "0", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
        new loaded.LanguageSupport(loaded.pythonLanguage),
        loaded.syntaxHighlighting(loaded.HighlightStyle.define(highlighting(loaded.tags))),
        loaded.indentUnit.of(INDENT),
        loaded.indentOnInput(),
        loaded.bracketMatching(),
        loaded.history(),
        loaded.autocompletion({
            override: [(/** @type {CompletionContext} */ context) => completions(loaded, context, options.complete)],
            // Nothing is chosen until an arrow key chooses: Enter stays a line break and Tab an indentation.
            selectOnOpen: false,
            interactionDelay: 0,
            defaultKeymap: false,
            icons: false,
        }),
        Prec.highest(keymap.of([
            { key: "Shift-Enter", run: () => (options.onRun(true), true) },
            { key: "Ctrl-Enter", mac: "Ctrl-Enter", run: () => (options.onRun(false), true) },
            { key: "Mod-Enter", run: () => (options.onRun(false), true) },
            ...loaded.completionKeymap,
        ])),
        keymap.of([{ key: "Tab", run: (view) => indent(loaded, view), shift: loaded.indentLess }, ...loaded.defaultKeymap, ...loaded.historyKeymap]),
        leavingWithEscape(loaded),
        insertingWholeTexts(loaded),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            const ours = transactions.every((transaction) => !transaction.docChanged || transaction.isUserEvent("replace"));
            if (docChanged && !ours) options.onChange(state.doc.toString());
        }),
    ];
}

/**
 * To the next multiple of four, or the selected lines by one step.
 *
 * @param {EditorLibrary} loaded
 * @param {EditorView} view
 */
function indent(loaded, view) {
    const { main } = view.state.selection;
    if (!main.empty) return loaded.indentMore(view);
    const column = main.head - view.state.doc.lineAt(main.head).from;
    const blanks = INDENT.slice(column % INDENT.length);
    view.dispatch({
        changes: { from: main.head, insert: blanks },
        selection: { anchor: main.head + blanks.length },
        userEvent: "input.indent",
        scrollIntoView: true,
    });
    return true;
}

/** Escape, however long ago, lets the next Tab leave; any other key takes that back. @param {EditorLibrary} loaded */
function leavingWithEscape({ EditorView }) {
    return EditorView.domEventObservers({
        keydown(/** @type {KeyboardEvent} */ event, view) {
            if (event.key !== "Tab" && event.key !== "Shift") view.setTabFocusMode(event.key === "Escape");
        },
        blur(/** @type {FocusEvent} */ event, view) {
            view.setTabFocusMode(false);
        },
    });
}

/**
 * A browser that replaces several lines by itself puts style attributes into them, which the policy refuses.
 *
 * @param {EditorLibrary} loaded
 */
function insertingWholeTexts({ EditorView }) {
    return EditorView.domEventHandlers({
        beforeinput(/** @type {InputEvent} */ event, view) {
            const { data, inputType } = event;
            if (inputType !== "insertText" || data === null) return false;
            const range = event.getTargetRanges()[0] ?? selectedRange(view);
            const [from, to] = range === null ? [view.state.selection.main.from, view.state.selection.main.to] : placeOf(view, range);
            if (from === to && !data.includes("\n")) return false;
            view.dispatch({ changes: { from, to, insert: data }, selection: { anchor: from + data.length }, userEvent: "input.type", scrollIntoView: true });
            return true;
        },
    });
}

/**
 * What is selected within the editor, where a browser tells that of shadow trees in its own way.
 *
 * @param {EditorView} view
 * @returns {Range | null}
 */
function selectedRange(view) {
    const root = /** @type {{getSelection?: () => globalThis.Selection | null}} */ (view.contentDOM.getRootNode());
    const selection = root.getSelection?.() ?? null;
    return selection !== null && selection.rangeCount > 0 && view.contentDOM.contains(selection.anchorNode) ? selection.getRangeAt(0) : null;
}

/**
 * Where in the text a range of the document lies; all of the content is all of the text, also what is not drawn.
 *
 * @param {EditorView} view
 * @param {AbstractRange} range
 * @returns {[number, number]}
 */
function placeOf(view, { startContainer, startOffset, endContainer, endOffset }) {
    const { contentDOM } = view;
    if (startContainer === contentDOM && startOffset === 0 && endContainer === contentDOM && endOffset === contentDOM.childNodes.length) {
        return [0, view.state.doc.length];
    }
    return [view.posAtDOM(startContainer, startOffset), view.posAtDOM(endContainer, endOffset)];
}

/**
 * @param {EditorLibrary} loaded
 * @param {CompletionContext} context
 * @param {EditorOptions["complete"]} complete
 */
async function completions({ syntaxTree }, context, complete) {
    const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_.]*/u);
    if (word === null && !context.explicit) return null;
    if (/String|Comment/.test(syntaxTree(context.state).resolveInner(context.pos, -1).name)) return null;
    const typed = word?.text ?? "";
    if (!context.explicit && typed.length < 2) return null;
    const names = await complete(typed);
    const owner = typed.slice(0, typed.lastIndexOf(".") + 1);
    const options = names.filter((name) => name !== typed).map((name) => ({ label: name.slice(owner.length) }));
    if (context.aborted || options.length === 0) return null;
    return { from: (word?.from ?? context.pos) + owner.length, options, validFor: /^[\p{L}\p{N}_]*$/u };
}

/** @param {EditorLibrary} loaded */
function makeFailingLine({ Decoration, EditorView, StateEffect, StateField }) {
    const marked = StateEffect.define();
    const field = StateField.define({
        create: () => Decoration.none,
        update(decorations, transaction) {
            const mark = transaction.effects.find((effect) => effect.is(marked));
            if (mark === undefined) return decorations.map(transaction.changes);
            const { value } = mark;
            if (typeof value !== "number" || value > transaction.state.doc.lines) return Decoration.none;
            const line = Decoration.line({ class: "cm-failing", attributes: { "data-mark": `stopped here, line ${value}` } });
            return Decoration.set([line.range(transaction.state.doc.line(value).from)]);
        },
        provide: (decorations) => EditorView.decorations.from(decorations),
    });
    return {
        extension: field,
        /**
         * @param {EditorView} view
         * @param {number | null} line
         */
        mark(view, line) {
            view.dispatch({ effects: marked.of(line) });
        },
    };
}
