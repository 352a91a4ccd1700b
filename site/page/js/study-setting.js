/** One setting of the constants cell, given another value. Pure. */

/**
 * A source with another value in one of its plain assignments; a comment after it keeps its column where it can.
 *
 * @param {string} source
 * @param {string} name
 * @param {string} value
 * @returns {string | null}  Null when no line assigns to this name.
 */
export function withSetting(source, name, value) {
    const line = new RegExp(`^(${name}\\s*=\\s*)([^\\s#]+)([ \\t]*)(#.*)?$`, "m");
    const found = line.exec(source);
    if (found === null) return null;
    const [, head = "", before = "", blanks = "", comment = ""] = found;
    const room = Math.max(1, before.length + blanks.length - value.length);
    const changed = comment === "" ? head + value : head + value + " ".repeat(room) + comment;
    return source.slice(0, found.index) + changed + source.slice(found.index + found[0].length);
}
