/**
 * The messages between page and worker: one definition, imported by both ends.
 *
 * Every request gets exactly one ending reply; notices (progress, output) come before it, in order.
 */

export const PROTOCOL = 1;

/**
 * @typedef {{number: number, id: string}} CellRef  The cell's position on the page and its stable id.
 * @typedef {{type: string, message: string, traceback: string, cell: string | null, line: number | null, hint: string}} CellError
 * @typedef {Record<string, unknown>} JsonObject
 * @typedef {{name: string, sizeBytes: number}} FileEntry
 *
 * @typedef {{protocol: 1, requestId: number}} Envelope
 *
 * @typedef {"snapshot" | "bytecode" | "stock"} BootName  The ways to start Python, fastest first.
 *
 * @typedef {Envelope & {type: "load", site: string, manifest: import("./site-files.js").Manifest, boot: BootName, lifeLock: string, supply: MessagePort | null, interruptBuffer: Uint8Array | null}} LoadRequest
 * @typedef {Envelope & {type: "run-cell", cell: CellRef, source: string}} RunCellRequest
 * @typedef {Envelope & {type: "interrupt"}} InterruptRequest
 * @typedef {Envelope & {type: "complete", typed: string}} CompleteRequest
 * @typedef {Envelope & {type: "list-files"}} ListFilesRequest
 * @typedef {Envelope & {type: "read-file", name: string}} ReadFileRequest
 * @typedef {Envelope & {type: "zip-files"}} ZipFilesRequest
 * @typedef {Envelope & {type: "read-output", cell: CellRef, name: string}} ReadOutputRequest
 * @typedef {LoadRequest | RunCellRequest | InterruptRequest | CompleteRequest | ListFilesRequest | ReadFileRequest | ZipFilesRequest | ReadOutputRequest} Request
 *
 * @typedef {"download" | "start" | "packages" | "library"} LoadStage
 * @typedef {Envelope & {type: "progress", stage: LoadStage, text: string, loadedBytes: number, totalBytes: number}} ProgressNotice
 * @typedef {Envelope & {type: "stream", name: string, text: string}} StreamNotice
 * @typedef {Envelope & {type: "cut", name: string, characters: number, keptCharacters: number}} CutNotice
 * @typedef {Envelope & {type: "display", data: JsonObject, metadata: JsonObject}} DisplayNotice
 * @typedef {Envelope & {type: "study-progress", done: number, total: number, running: string}} StudyProgressNotice
 * @typedef {Envelope & {type: "put-back", names: string[], more: number}} PutBackNotice  What a cell replaced in Python itself.
 * @typedef {ProgressNotice | StreamNotice | CutNotice | DisplayNotice | StudyProgressNotice | PutBackNotice} Notice
 *
 * @typedef {Envelope & {type: "loaded", versions: JsonObject, elapsedMs: number}} LoadedReply
 * @typedef {"done" | "failed" | "interrupted"} Outcome
 * @typedef {Envelope & {type: "cell-ended", outcome: Outcome, elapsedMs: number, error: CellError | null, agreement: JsonObject | null}} CellEndedReply
 * @typedef {Envelope & {type: "interrupt-sent"}} InterruptSentReply
 * @typedef {Envelope & {type: "completions", names: string[]}} CompletionsReply
 * @typedef {Envelope & {type: "files", files: FileEntry[]}} FilesReply
 * @typedef {Envelope & {type: "file", name: string, bytes: ArrayBuffer}} FileReply
 * @typedef {Envelope & {type: "failed", message: string}} FailedReply
 * @typedef {LoadedReply | CellEndedReply | InterruptSentReply | CompletionsReply | FilesReply | FileReply | FailedReply} Reply
 */

/**
 * A message without its envelope.
 *
 * @template T
 * @typedef {T extends unknown ? Omit<T, keyof Envelope> : never} Body
 */

/** @typedef {(value: unknown) => boolean} Check */

/** @type {Check} */
const isString = (value) => typeof value === "string";
/** @type {Check} */
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
/** @type {Check} */
const isList = (value) => Array.isArray(value);
/** @type {Check} */
const isBuffer = (value) => value instanceof ArrayBuffer;
/** @type {Check} */
const isObject = (value) => isJsonObject(value);
/** @type {Check} */
const isObjectOrNull = (value) => value === null || isJsonObject(value);
/** @type {Check} */
const isBytesOrNull = (value) => value === null || value instanceof Uint8Array;
/** @type {Check} */
const isPortOrNull = (value) => value === null || value instanceof MessagePort;

/** @type {Record<Request["type"], Record<string, Check>>} */
const REQUESTS = {
    load: { site: isString, manifest: isObject, boot: isString, lifeLock: isString, supply: isPortOrNull, interruptBuffer: isBytesOrNull },
    "run-cell": { cell: isObject, source: isString },
    interrupt: {},
    complete: { typed: isString },
    "list-files": {},
    "read-file": { name: isString },
    "zip-files": {},
    "read-output": { cell: isObject, name: isString },
};

/** @type {Record<Notice["type"], Record<string, Check>>} */
const NOTICES = {
    progress: { stage: isString, text: isString, loadedBytes: isNumber, totalBytes: isNumber },
    stream: { name: isString, text: isString },
    cut: { name: isString, characters: isNumber, keptCharacters: isNumber },
    display: { data: isObject, metadata: isObject },
    "put-back": { names: isList, more: isNumber },
    "study-progress": { done: isNumber, total: isNumber, running: isString },
};

/** @type {Record<Reply["type"], Record<string, Check>>} */
const REPLIES = {
    loaded: { versions: isObject, elapsedMs: isNumber },
    "cell-ended": { outcome: isString, elapsedMs: isNumber, error: isObjectOrNull, agreement: isObjectOrNull },
    "interrupt-sent": {},
    completions: { names: isList },
    files: { files: isList },
    file: { name: isString, bytes: isBuffer },
    failed: { message: isString },
};

/**
 * @param {unknown} value
 * @returns {value is JsonObject}
 */
export function isJsonObject(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {unknown} message
 * @returns {Request}
 */
export function parseRequest(message) {
    check(message, REQUESTS, "request");
    return /** @type {Request} */ (message);
}

/**
 * @param {unknown} message
 * @returns {Notice | Reply}
 */
export function parseAnswer(message) {
    check(message, { ...NOTICES, ...REPLIES }, "answer");
    return /** @type {Notice | Reply} */ (message);
}

/**
 * Whether this answer is the one that ends its request.
 *
 * @param {Notice | Reply} answer
 * @returns {answer is Reply}
 */
export function endsRequest(answer) {
    return answer.type in REPLIES;
}

/**
 * @param {never} value
 * @returns {never}
 */
export function assertNever(value) {
    throw new Error(`no branch for ${JSON.stringify(value)}`);
}

/**
 * @param {unknown} message
 * @param {Record<string, Record<string, Check>>} kinds
 * @param {string} what
 */
function check(message, kinds, what) {
    if (!isJsonObject(message) || message.protocol !== PROTOCOL) {
        throw new TypeError(`${what} of protocol ${PROTOCOL} expected, got ${show(message)}`);
    }
    const { type, requestId } = message;
    const fields = typeof type === "string" && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
    if (fields === undefined) {
        throw new TypeError(`unknown type of ${what} in ${show(message)}; known: ${Object.keys(kinds).join(", ")}`);
    }
    for (const [name, holds] of Object.entries({ requestId: isNumber, ...fields })) {
        const value = name === "requestId" ? requestId : message[name];
        if (!holds(value)) throw new TypeError(`${what} ${String(type)}: field ${name} is missing or wrong in ${show(message)}`);
    }
}

/** @param {unknown} value */
function show(value) {
    try {
        return (JSON.stringify(value) ?? String(value)).slice(0, 200);
    } catch {
        return `a value that JSON cannot show, with ${Object.keys(Object(value)).slice(0, 10).join(", ") || "no fields"}`;
    }
}
