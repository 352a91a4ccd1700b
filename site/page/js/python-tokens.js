/** Python as tokens: what of a text matters when it runs. Pure. */

const STRING_START = /^([bfrtu]{0,2})("""|'''|"|')/i;
const NUMBER = /^(?:\d|\.\d)(?:[eE][+-]|[\w.])*/;
const NAME = /^[\p{L}_][\p{L}\p{N}\p{M}_]*/u;
const OPERATOR = /^(?:\*\*=|\/\/=|>>=|<<=|\.\.\.|->|:=|\*\*|\/\/|<<|>>|[=!<>+\-*/%&|^@]=|.)/su;
const TAB_STOP = 8;

/**
 * A text that is the same for two sources that differ in comments, blank lines and spaces only.
 *
 * Indentation stays in it, outside of brackets: there it is grammar.
 *
 * @param {string} source
 */
export function normalized(source) {
    return tokens(source).join("\n");
}

/**
 * Whether two texts run alike.
 *
 * @param {string} one
 * @param {string} other
 */
export function isSameProgram(one, other) {
    return one === other || normalized(one) === normalized(other);
}

/**
 * The names in a source, each once, in order; not those within strings and comments.
 *
 * @param {string} source
 */
export function namesIn(source) {
    return [...new Set(tokens(source).filter((token) => NAME.test(token) && !STRING_START.test(token)))];
}

/**
 * @param {string} source
 * @returns {string[]}  Line starts appear as `|` and the width of their indentation.
 */
function tokens(source) {
    /** @type {string[]} */
    const found = [];
    let depth = 0;
    let lineStarts = true;
    for (let at = 0; at < source.length; ) {
        if (lineStarts) {
            const [blank] = /** @type {RegExpExecArray} */ (/^[ \t\f]*/.exec(source.slice(at)));
            at += blank.length;
            if (depth === 0 && !/^(?:[\r\n#]|$)/.test(source.slice(at, at + 1))) found.push(`|${widthOf(blank)}`);
            lineStarts = false;
            continue;
        }
        const rest = source.slice(at);
        const skipped = /^(?:[ \t\f]+|\\\r?\n|#[^\r\n]*)/.exec(rest);
        if (skipped !== null) {
            at += skipped[0].length;
            continue;
        }
        if (rest.startsWith("\n") || rest.startsWith("\r")) {
            lineStarts = true;
            at += 1;
            continue;
        }
        const token = tokenAt(source, at);
        if ("([{".includes(token)) depth += 1;
        if (")]}".includes(token)) depth = Math.max(0, depth - 1);
        found.push(token);
        at += token.length;
    }
    return found;
}

/**
 * @param {string} source
 * @param {number} at
 * @returns {string}
 */
function tokenAt(source, at) {
    const rest = source.slice(at);
    const opening = STRING_START.exec(rest);
    if (opening !== null) return source.slice(at, stringEnd(source, at + opening[0].length, opening[1] ?? "", opening[2] ?? ""));
    return (NUMBER.exec(rest) ?? NAME.exec(rest) ?? OPERATOR.exec(rest))?.[0] ?? rest.charAt(0);
}

/**
 * Where a string ends. A formatted one holds code in braces, which may hold strings again.
 *
 * @param {string} source
 * @param {number} start  Just after the opening quotes.
 * @param {string} prefix
 * @param {string} quotes
 * @returns {number}
 */
function stringEnd(source, start, prefix, quotes) {
    const formatted = /[ft]/i.test(prefix);
    let depth = 0;
    for (let at = start; at < source.length; ) {
        const letter = source.charAt(at);
        if (depth === 0 && source.startsWith(quotes, at)) return at + quotes.length;
        if (letter === "\n" && quotes.length === 1 && depth === 0) return at;
        if (letter === "\\") at += 2;
        else if (formatted && depth === 0 && (source.startsWith("{{", at) || source.startsWith("}}", at))) at += 2;
        else if (depth > 0 && STRING_START.test(source.slice(at, at + 5))) at += tokenAt(source, at).length;
        else {
            if (formatted && letter === "{") depth += 1;
            if (formatted && letter === "}") depth = Math.max(0, depth - 1);
            at += 1;
        }
    }
    return source.length;
}

/** @param {string} blank */
function widthOf(blank) {
    let width = 0;
    for (const letter of blank) {
        if (letter === "\t") width += TAB_STOP - (width % TAB_STOP);
        else if (letter === " ") width += 1;
    }
    return width;
}
