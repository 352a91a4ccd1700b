/** How the editor looks: every colour is a token of tokens.css, which reaches into its shadow tree. */

/** @typedef {import("./editor-types.js").EditorLibrary} EditorLibrary */

/** @type {import("./editor-types.js").StyleSpec} */
export const THEME = {
    "&": { color: "inherit", backgroundColor: "transparent" },
    "&.cm-focused": { outline: "none" },
    ".cm-scroller": { font: "inherit", lineHeight: "inherit", overflowX: "auto" },
    ".cm-content": { padding: "var(--code-padding)", minHeight: "3rem", caretColor: "var(--ink)", tabSize: "4" },
    ".cm-line": { padding: "0" },
    ".cm-failing": {
        backgroundColor: "var(--differs-paper)",
        boxShadow: "-0.5rem 0 0 var(--differs-paper)",
        textDecoration: "underline wavy var(--differs) 1px",
        textUnderlineOffset: "0.2em",
    },
    ".cm-failing::after": {
        content: "attr(data-mark)",
        display: "inline-block",
        marginInlineStart: "2ch",
        color: "var(--differs)",
        fontFamily: "var(--sans)",
        fontSize: "var(--size-small)",
        textDecoration: "none",
    },
    "&.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--rule-strong)" },
    "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent", outline: "1px dotted var(--differs)" },
    ".cm-tooltip": { color: "var(--ink)", backgroundColor: "var(--paper)", border: "1px solid var(--rule-strong)" },
    ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "var(--size-code)", maxHeight: "12em" },
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.2em 0.6em", lineHeight: "1.4" },
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { color: "var(--accent-ink)", backgroundColor: "var(--accent)" },
    ".cm-completionMatchedText": { textDecoration: "underline" },
};

/**
 * Which token of the language has which colour.
 *
 * @param {EditorLibrary["tags"]} tags
 */
export function highlighting(tags) {
    return [
        { tag: [tags.keyword, tags.self, tags.bool, tags.null, tags.operatorKeyword], color: "var(--code-keyword)" },
        { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
        { tag: [tags.number], color: "var(--code-number)" },
        { tag: [tags.comment], color: "var(--ink-quiet)", fontStyle: "italic" },
        { tag: [tags.definition(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], color: "var(--code-definition)" },
    ];
}
