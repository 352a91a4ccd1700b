/**
 * What every boot begins with and what each may fall back to: Pyodide as documented.
 *
 * @typedef {import("./pyodide-types.js").PyodideAPI} PyodideAPI
 * @typedef {import("./protocol.js").LoadStage} LoadStage
 * @typedef {{
 *   site: string,
 *   manifest: import("./site-files.js").Manifest,
 *   files: import("./verified-files.js").VerifiedFiles,
 *   supply: import("./supply.js").Supply | null,
 *   stage: (stage: LoadStage, text: string) => void,
 * }} BootContext
 * @typedef {object} Booted  Python with numpy and replay_lab.
 * @property {PyodideAPI} pyodide
 * @property {() => void} renew  Called before any cell.
 * @property {() => Promise<void>} bringFigures  Brings what drawing needs; perhaps called much later.
 * @property {() => Promise<void>} bringRest  Brings whatever else a cell may import; called after `bringFigures`.
 * @typedef {import("./site-files.js").Manifest} Manifest
 * @typedef {object} Boot
 * @property {(manifest: Manifest) => string[]} firstFiles  In the order in which they are wanted.
 * @property {(manifest: Manifest) => {modules: string[], pages: string[]}} [supplied]  What the worker beside this one is asked for.
 * @property {(manifest: Manifest) => string[]} [modules]  Those of them that are wanted as compiled WebAssembly.
 * @property {(context: BootContext) => Promise<Booted>} start  The page's own Python files are then in place, too.
 */

import { endQuietly } from "./python-end.js";

export const WORKING_DIRECTORY = "/home/pyodide";
export const RUNNER_DIRECTORY = "/cell_runner";

const RUNTIME_SCRIPTS = ["runtime/pyodide.js", "runtime/pyodide.asm.js"];

/** Python itself. */
export const PROGRAM = "runtime/pyodide.asm.wasm";

/** In the order in which they are wanted, before the standard library. */
export const CORE_FILES = [...RUNTIME_SCRIPTS, PROGRAM];
export const LOCK_FILE = "runtime/pyodide-lock.json";

/** The package whose numbers come first; the rest follows. */
export const FIRST_PACKAGE = "numpy";

/**
 * @param {BootContext} context
 * @param {(createModule: import("./native-modules.js").CreateModule) => Promise<Record<string, unknown>>} [moreOptions]
 *   For `loadPyodide`; asked for when the runtime's scripts have been verified.
 * @returns {Promise<PyodideAPI>}
 */
export async function startPyodide({ site, files, stage }, moreOptions = async () => ({})) {
    const indexURL = `${site}runtime/`;
    // Modules can only be imported by address: verify their bytes first, then let the browser take the same file.
    await Promise.all(RUNTIME_SCRIPTS.map((path) => files.take(path)));
    const { fetch: verified, failure } = rememberingFailure(files.asFetch());
    globalThis.fetch = verified;
    const [{ loadPyodide }, createModule] = await importRuntime(site);
    stage("start", "Starting Python");
    const options = await moreOptions(createModule);
    try {
        const pyodide = await loadPyodide({
            indexURL,
            lockFileURL: site + LOCK_FILE,
            packageBaseUrl: indexURL,
            env: { HOME: WORKING_DIRECTORY, MPLBACKEND: "agg" },
            // Pyodide would look for a module under its published name, which hosts do not know as a script.
            createPyodideModule: createModule,
            ...options,
        });
        endQuietly(pyodide._api);
        return pyodide;
    } catch (error) {
        throw failure() ?? error;
    }
}

/**
 * Pyodide's own error does not say which file it went without.
 *
 * @param {typeof fetch} fetchFile
 * @returns {{fetch: typeof fetch, failure: () => unknown}}  The same, and the first reason for which it failed.
 */
function rememberingFailure(fetchFile) {
    /** @type {unknown} */
    let failure;
    return {
        fetch: (input, init) => fetchFile(input, init).catch((error) => {
            failure ??= error;
            throw error;
        }),
        failure: () => failure,
    };
}

/** What this page adds to Python, as source. @param {Manifest} manifest */
export function pageModules({ files }) {
    return Object.keys(files).filter((path) => path.startsWith("page/python/"));
}

/**
 * @param {BootContext} context
 * @param {PyodideAPI} pyodide
 */
export async function writePageModules({ files, manifest }, pyodide) {
    pyodide.FS.mkdirTree(RUNNER_DIRECTORY);
    for (const path of pageModules(manifest)) {
        pyodide.FS.writeFile(RUNNER_DIRECTORY + path.slice(path.lastIndexOf("/")), await files.takeText(path));
    }
}

/**
 * @param {string} site
 * @returns {Promise<[import("./pyodide-types.js").PyodideModule, import("./native-modules.js").CreateModule]>}
 */
async function importRuntime(site) {
    const [pyodide, program] = await Promise.all(RUNTIME_SCRIPTS.map((path) => import(site + path)));
    return [pyodide, (settings) => program.default(Object.assign(settings, { printErr: told }))];
}

/** What the program itself says, such as that it was aborted: the page tells of it. @param {...unknown} words */
function told(...words) {
    console.info(...words);
}

/**
 * @param {PyodideAPI} pyodide
 * @param {string} package_  A name in the lock file, or the address of a wheel.
 * @param {string} [name]
 */
export async function installPackage(pyodide, package_, name = package_) {
    /** @type {string[]} */
    const complaints = [];
    await pyodide.loadPackage(package_, {
        messageCallback: () => undefined,
        errorCallback: (message) => complaints.push(message),
    });
    // Pyodide refuses a damaged wheel, yet its promise resolves: only the list of loaded packages tells.
    if (!Object.hasOwn(pyodide.loadedPackages, name) || complaints.length > 0) {
        // The first line only announces the others.
        const reasons = complaints.filter((line) => !line.endsWith(":")).join("; ");
        throw new Error(`${name} could not be installed: ${reasons || "Pyodide gave no reason"}`);
    }
}
