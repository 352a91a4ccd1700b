/** The end of Python below a cell: heard of, and told in the page's words. */

/** @typedef {{fatal_error(error: unknown): unknown}} EndingApi */

/** What engines say, and what it means to a reader. @type {[RegExp, (match: RegExpExecArray) => string][]} */
const MEANINGS = [
    [/exit\((-?\d+)\)/, ([, code]) => `a cell told it to exit, with code ${code}`],
    [/call stack|too much recursion/i, () => "calls went deeper than this browser allows"],
    [/^unreachable|abort/i, () => "a cell aborted it"],
    [/out of bounds|out-of-bounds/i, () => "a cell wrote over its memory"],
    [/out of memory|allocation failed/i, () => "there was not enough memory"],
];

/**
 * Pyodide writes its end on the console as errors, addressed to its makers. Here the page tells of it, and the console keeps it as information.
 *
 * @param {EndingApi} api
 */
export function endQuietly(api) {
    const end = api.fatal_error.bind(api);
    api.fatal_error = (error) => {
        const loud = console.error;
        console.error = console.info;
        try {
            return end(error);
        } finally {
            console.error = loud;
        }
    };
}

/**
 * Why Python ended, or why the page can use it no longer; in one line.
 *
 * @param {unknown} reason
 * @param {boolean} ended  Whether it no longer answers.
 */
export function whyEnded(reason, ended) {
    const told = reason instanceof Error ? reason.message : String(reason);
    if (reason instanceof Error && reason.name === "PythonError") {
        // Of a traceback, the exception itself; it comes from the page's own code, which a cell has changed or starved.
        const last = told.trimEnd().split("\n").at(-1)?.trim().slice(0, 200) ?? "";
        return `the page's own Python failed after what a cell did: ${last}`;
    }
    for (const [pattern, meaning] of ended ? MEANINGS : []) {
        const match = pattern.exec(told);
        if (match !== null) return meaning(match);
    }
    return told;
}
