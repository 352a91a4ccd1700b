/** What a cell replaced in Python itself, in words. */

/** @param {import("../output-items.js").PutBackItem} item */
export function putBackText({ names, more }) {
    const all = more === 0 ? names : [...names, `${more} more`];
    const list = all.length === 1 ? all[0] : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
    return `This cell changed Python itself; put back after it: ${list}.`;
}
