/** The state of the page and how events change it. Pure: no clock, no document, no worker. */

import { withNotice, withoutKept, withWholeText } from "./output-items.js";
import { assertNever } from "./protocol.js";
import { isSameProgram } from "./python-tokens.js";

/**
 * @typedef {import("./protocol.js").Notice} Notice
 * @typedef {import("./protocol.js").Outcome} Outcome
 * @typedef {import("./protocol.js").CellError} CellError
 * @typedef {import("./protocol.js").FileEntry} FileEntry
 * @typedef {import("./protocol.js").JsonObject} JsonObject
 *
 * @typedef {import("./output-items.js").OutputItem} OutputItem
 *
 * @typedef {object} Output  What a run of this tab showed.
 * @property {number} run
 * @property {OutputItem[]} items
 * @property {Outcome | "running"} outcome
 * @property {number} elapsedMs
 * @property {CellError | null} error
 * @property {JsonObject | null} agreement
 * @property {{id: string, source: string, asPublished: boolean}[]} made  What was run to get here: this cell and those above, for the receipt.
 * @property {number[]} after  Cells that ran before in the same Python with other code than published.
 *
 * @typedef {"idle" | "queued" | "running" | "stopping"} Activity
 *
 * @typedef {"published" | "beyond"} Group  The study's own cells, and those that only need the study's.
 *
 * @typedef {object} CellState
 * @property {number} number  Position on the page, from 1.
 * @property {string} id
 * @property {Group} group
 * @property {string} published
 * @property {string} source
 * @property {string | null} replaced  The text before Reset, a setting or a link put another one there; typing ends its time.
 * @property {Output | null} output
 * @property {boolean} showsSaved  The reader wants the saved output although there is one of this tab.
 * @property {{session: number, run: number, source: string} | null} ran  The last run that ended well.
 *
 * @typedef {"never" | "download-stopped" | "stopped" | "restarted" | "crashed"} AbsentReason
 * @typedef {{phase: "absent", reason: AbsentReason, detail: string}} AbsentPython
 * @typedef {{phase: "loading", stage: string, text: string, loadedBytes: number, totalBytes: number, since: number}} LoadingPython
 * @typedef {{phase: "ready"}} ReadyPython
 * @typedef {{phase: "failed", message: string, waiting: number[], asked: number | null}} FailedPython  With what it was wanted for.
 * @typedef {AbsentPython | LoadingPython | ReadyPython | FailedPython} PythonState
 *
 * @typedef {{done: number, total: number, running: string}} StudyProgress
 * @typedef {{cell: number, run: number, source: string, since: number, stopping: boolean, restartOffered: boolean, progress: StudyProgress | null}} Running
 * @typedef {{outcome: Outcome, cell: number, elapsedMs: number, notRun: number[]}} LastRun
 *
 * @typedef {object} PageState
 * @property {PythonState} python
 * @property {number} session  Counts the Pythons of this page: variables live no longer than one.
 * @property {number} runs
 * @property {number[]} changed  Cells that ran in the present Python with other code than published.
 * @property {number[]} queue  Numbers of the cells that wait, in order.
 * @property {number | null} asked  The cell whose button was pressed, while those that it needs run first.
 * @property {Running | null} running
 * @property {LastRun | null} last
 * @property {CellState[]} cells
 * @property {FileEntry[]} files
 * @property {string} note  What a button of the reader just did, until something else happens.
 *
 * @typedef {{cell: number, source: string}} Replacement
 *
 * @typedef {{type: "edited", cell: number, source: string}
 *   | {type: "replaced", cells: Replacement[], note: string}
 *   | {type: "replacement-undone", cell: number}
 *   | {type: "noted", note: string}
 *   | {type: "run-requested", cells: number[], asked: number | null}
 *   | {type: "load-started", now: number}
 *   | {type: "load-progress", stage: string, text: string, loadedBytes: number, totalBytes: number, now: number}
 *   | {type: "loaded"}
 *   | {type: "load-failed", message: string}
 *   | {type: "cell-started", cell: number, now: number}
 *   | {type: "output", run: number, notices: Notice[]}
 *   | {type: "cell-ended", run: number, outcome: Outcome, elapsedMs: number, error: CellError | null, agreement: JsonObject | null}
 *   | {type: "stop-requested"}
 *   | {type: "restart-offered", run: number}
 *   | {type: "python-gone", reason: AbsentReason, detail: string, now: number}
 *   | {type: "output-completed", run: number, name: string, text: string}
 *   | {type: "files-listed", files: FileEntry[]}
 *   | {type: "output-chosen", cell: number, saved: boolean}} PageEvent
 */

/**
 * @param {{id: string, group: Group, published: string}[]} cells
 * @returns {PageState}
 */
export function initialState(cells) {
    return {
        python: { phase: "absent", reason: "never", detail: "" },
        session: 0,
        runs: 0,
        changed: [],
        queue: [],
        asked: null,
        running: null,
        last: null,
        files: [],
        note: "",
        cells: cells.map(({ id, group, published }, index) => ({
            number: index + 1,
            id,
            group,
            published,
            source: published,
            replaced: null,
            output: null,
            showsSaved: false,
            ran: null,
        })),
    };
}

/**
 * @param {PageState} state
 * @param {PageEvent} event
 * @returns {PageState}
 */
export function reduce(state, event) {
    return react(state.note === "" ? state : { ...state, note: "" }, event);
}

/**
 * @param {PageState} state
 * @param {PageEvent} event
 * @returns {PageState}
 */
function react(state, event) {
    switch (event.type) {
        case "edited":
            return withCell(state, event.cell, () => ({ source: event.source, replaced: null }));
        case "replaced":
            return { ...event.cells.reduce(withReplacement, state), note: event.note };
        case "replacement-undone":
            return withCell(state, event.cell, ({ source, replaced }) => ({ source: replaced ?? source, replaced: null }));
        case "noted":
            return { ...state, note: event.note };
        case "run-requested":
            return { ...state, queue: enlarged(state, event.cells), asked: event.asked };
        case "load-started":
            return {
                ...state,
                session: state.session + 1,
                changed: [],
                python: { phase: "loading", stage: "download", text: "Asking for Python", loadedBytes: 0, totalBytes: 0, since: event.now },
                last: null,
            };
        case "load-progress":
            return progressed(state, event);
        case "loaded":
            return { ...state, python: { phase: "ready" } };
        case "load-failed":
            return { ...state, python: { phase: "failed", message: event.message, waiting: state.queue, asked: state.asked }, queue: [], asked: null };
        case "cell-started":
            return {
                ...withCell(state, event.cell, (cell) => ({ output: forgotten(cell.output) })),
                runs: state.runs + 1,
                changed: withChanged(state, cellAt(state, event.cell)),
                queue: state.queue.filter((cell) => cell !== event.cell),
                running: { cell: event.cell, run: state.runs + 1, source: cellAt(state, event.cell).source, since: event.now, stopping: false, restartOffered: false, progress: null },
                last: null,
            };
        case "output":
            return isCurrent(state, event.run) ? withProgress(withNotices(state, event.notices), event.notices) : state;
        case "cell-ended":
            return isCurrent(state, event.run) ? ended(state, event) : state;
        case "stop-requested":
            return state.running === null ? state : { ...state, running: { ...state.running, stopping: true } };
        case "restart-offered":
            return state.running !== null && isCurrent(state, event.run)
                ? { ...state, running: { ...state.running, restartOffered: true } }
                : state;
        case "python-gone":
            return gone(state, event);
        case "output-completed":
            return completed(state, event);
        case "files-listed":
            return { ...state, files: event.files };
        case "output-chosen":
            return withCell(state, event.cell, () => ({ showsSaved: event.saved }));
        default:
            return assertNever(event);
    }
}

/**
 * What a click on the Run button of a cell asks for: the cell, after those above whose present text has not run.
 *
 * @param {PageState} state
 * @param {number} number
 * @returns {number[]}
 */
export function cellsToRun(state, number) {
    return [...neededBy(state, number).filter((above) => !isFresh(state, above)), number];
}

/**
 * What Run all asks for, or Run these too: every cell of a group, after those above whose present text has not run.
 *
 * @param {PageState} state
 * @param {Group} group
 * @returns {number[]}
 */
export function groupToRun(state, group) {
    const wanted = state.cells.filter((cell) => cell.group === group).map(({ number }) => number);
    const [first = 1] = wanted;
    return [...neededBy(state, first).filter((above) => !isFresh(state, above)), ...wanted];
}

/**
 * The published cells above a cell; cells beyond the study do not need each other.
 *
 * @param {PageState} state
 * @param {number} number
 */
export function neededBy(state, number) {
    return state.cells.slice(0, number - 1).filter(({ group }) => group === "published").map((cell) => cell.number);
}

/**
 * Whether a cell's present text has run in the present Python, after everything above that it needs.
 *
 * @param {PageState} state
 * @param {number} number
 * @returns {boolean}
 */
export function isFresh(state, number) {
    const { ran, source } = cellAt(state, number);
    if (ran === null || ran.session !== state.session || !isSameProgram(ran.source, source)) return false;
    return neededBy(state, number).every((above) => isFresh(state, above) && (cellAt(state, above).ran?.run ?? Infinity) < ran.run);
}

/**
 * @param {PageState} state
 * @param {number} number
 * @returns {Activity}
 */
export function activityOf(state, number) {
    if (state.running?.cell === number) return state.running.stopping ? "stopping" : "running";
    return state.queue.includes(number) ? "queued" : "idle";
}

/**
 * @param {PageState} state
 * @param {number} number
 * @returns {CellState}
 */
export function cellAt(state, number) {
    const cell = state.cells[number - 1];
    if (cell === undefined) throw new RangeError(`there is no cell ${number}`);
    return cell;
}

/**
 * @param {PageState} state
 * @param {Replacement} replacement
 * @returns {PageState}
 */
function withReplacement(state, { cell, source }) {
    return withCell(state, cell, ({ source: before }) => (before === source ? {} : { source, replaced: before }));
}

/**
 * The queue with these cells in it: a cell that waits or runs is not asked for twice.
 *
 * @param {PageState} state
 * @param {number[]} cells
 */
function enlarged(state, cells) {
    const known = new Set([...state.queue, ...(state.running === null ? [] : [state.running.cell])]);
    return [...state.queue, ...cells.filter((cell) => !known.has(cell))];
}

/**
 * @param {PageState} state
 * @param {Extract<PageEvent, {type: "load-progress"}>} event
 * @returns {PageState}
 */
function progressed(state, event) {
    if (state.python.phase !== "loading") return state;
    const since = state.python.text === event.text ? state.python.since : event.now;
    const { stage, text, loadedBytes, totalBytes } = event;
    return { ...state, python: { phase: "loading", stage, text, loadedBytes, totalBytes, since } };
}

/**
 * @param {PageState} state
 * @param {Notice[]} notices
 * @returns {PageState}
 */
function withNotices(state, notices) {
    const { running } = state;
    if (running === null) return state;
    return withCell(state, running.cell, (cell) => {
        const items = notices.reduce(withNotice, cell.output?.run === running.run ? cell.output.items : []);
        if (items.length === 0) return {};
        return { output: { run: running.run, items, outcome: "running", elapsedMs: 0, error: null, agreement: null, made: [], after: [] }, showsSaved: false };
    });
}

/**
 * @param {PageState} state
 * @param {Notice[]} notices
 * @returns {PageState}
 */
function withProgress(state, notices) {
    const last = notices.findLast((notice) => notice.type === "study-progress");
    if (last === undefined || state.running === null) return state;
    const { done, total, running } = last;
    return { ...state, running: { ...state.running, progress: { done, total, running } } };
}

/**
 * @param {PageState} state
 * @param {Extract<PageEvent, {type: "output-completed"}>} event
 * @returns {PageState}
 */
function completed(state, { run, name, text }) {
    const cell = state.cells.find(({ output }) => output?.run === run);
    if (cell === undefined || cell.output === null) return state;
    const { output } = cell;
    return withCell(state, cell.number, () => ({ output: { ...output, items: withWholeText(output.items, name, text) } }));
}

/**
 * @param {PageState} state
 * @param {Extract<PageEvent, {type: "cell-ended"}>} event
 * @returns {PageState}
 */
function ended(state, event) {
    const { running } = state;
    if (running === null) return state;
    const { run, outcome, elapsedMs, error, agreement } = event;
    const done = outcome === "done";
    // A cell may end well just as it is told to stop; those that wait are stopped all the same.
    const goesOn = done && !running.stopping;
    const next = withCell(state, running.cell, (cell) => {
        const items = cell.output?.run === run ? cell.output.items : [];
        // A stopped cell that showed nothing leaves the output before it in its place.
        const shows = outcome !== "interrupted" || items.length > 0;
        return {
            ...(shows ? { output: { run, items, outcome, elapsedMs, error, agreement, made: madeBy(state, running), after: state.changed }, showsSaved: false } : {}),
            // What was typed while it ran has not run.
            ran: done ? { session: state.session, run, source: running.source } : null,
        };
    });
    return {
        ...next,
        running: null,
        queue: goesOn ? state.queue : [],
        asked: goesOn && state.queue.length > 0 ? state.asked : null,
        last: { outcome, cell: running.cell, elapsedMs, notRun: goesOn ? [] : state.queue },
    };
}

/**
 * @param {PageState} state
 * @param {CellState} cell
 */
function withChanged({ changed }, { number, source, published }) {
    return changed.includes(number) || isSameProgram(source, published) ? changed : [...changed, number];
}

/**
 * The texts behind an output: of the cell itself and of those that it builds on.
 *
 * @param {PageState} state
 * @param {Running} running
 */
function madeBy(state, running) {
    return [...neededBy(state, running.cell), running.cell].map((number) => {
        const { id, published, ran } = cellAt(state, number);
        const source = number === running.cell ? running.source : ran?.source ?? "";
        return { id, source, asPublished: source === published };
    });
}

/**
 * @param {PageState} state
 * @param {Extract<PageEvent, {type: "python-gone"}>} event
 * @returns {PageState}
 */
function gone(state, { reason, detail, now }) {
    const { running } = state;
    const elapsedMs = running === null ? 0 : now - running.since;
    const stopped = running === null ? state : withCell(state, running.cell, ({ output }) => {
        const own = output?.run === running.run ? output : null;
        if (reason === "crashed") {
            const made = madeBy(state, running);
            return { output: { run: running.run, items: own?.items ?? [], outcome: "failed", elapsedMs, error: endOfPython(detail), agreement: null, made, after: state.changed }, showsSaved: false };
        }
        return { output: own === null ? output : { ...own, outcome: "interrupted", elapsedMs } };
    });
    return {
        ...stopped,
        python: { phase: "absent", reason, detail },
        running: null,
        queue: [],
        asked: null,
        files: [],
        last: running === null ? null : { outcome: "interrupted", cell: running.cell, elapsedMs, notRun: state.queue },
        cells: stopped.cells.map((cell) => ({ ...cell, ran: null, output: forgotten(cell.output) })),
    };
}

/**
 * What stands in the output of the cell that ran when Python ended.
 *
 * @param {string} reason
 * @returns {CellError}
 */
function endOfPython(reason) {
    const hint = "Variables and files are gone; the code of every cell and the saved results are kept. Run starts a new Python.";
    return { type: "EndOfPython", message: reason, traceback: "", cell: null, line: null, hint };
}

/** An output of which Python keeps no more than is here. @param {Output | null} output */
function forgotten(output) {
    return output === null ? null : { ...output, items: withoutKept(output.items) };
}

/**
 * @param {PageState} state
 * @param {number} run
 */
function isCurrent(state, run) {
    return state.running?.run === run;
}

/**
 * @param {PageState} state
 * @param {number} number
 * @param {(cell: CellState) => Partial<CellState>} change
 * @returns {PageState}
 */
function withCell(state, number, change) {
    const cells = state.cells.map((cell) => (cell.number === number ? { ...cell, ...change(cell) } : cell));
    return { ...state, cells };
}
