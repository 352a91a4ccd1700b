/** What the page uses of the editor library; editor.js is its only reader. */

export { autocompletion, completeFromList, completionKeymap, completionStatus, startCompletion } from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap, indentLess, indentMore, insertNewlineAndIndent, isolateHistory } from "@codemirror/commands";
export { pythonLanguage } from "@codemirror/lang-python";
export { bracketMatching, HighlightStyle, indentOnInput, indentUnit, LanguageSupport, syntaxHighlighting, syntaxTree } from "@codemirror/language";
export { Compartment, EditorSelection, EditorState, Prec, StateEffect, StateField, Transaction } from "@codemirror/state";
export { Decoration, EditorView, keymap } from "@codemirror/view";
export { tags } from "@lezer/highlight";
