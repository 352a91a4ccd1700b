/** Python in this worker: the only file that knows Pyodide. */

import { fetchManifest, VerifiedFiles } from "./verified-files.js";

/** @typedef {import("./verified-files.js").Manifest} Manifest */
/** @typedef {import("./protocol.js").CellRef} CellRef */
/** @typedef {import("./protocol.js").FileEntry} FileEntry */
/** @typedef {import("./protocol.js").JsonObject} JsonObject */
/** @typedef {import("./protocol.js").LoadStage} LoadStage */
/** @typedef {import("./protocol.js").Body<import("./protocol.js").Notice>} NoticeBody */
/** @typedef {import("./protocol.js").Body<import("./protocol.js").CellEndedReply>} CellEndedBody */
/** @typedef {(notice: NoticeBody) => void} Notify */
/** @typedef {import("./pyodide-types.js").PyodideAPI} PyodideAPI */
/** @typedef {import("./pyodide-types.js").PyCellRunner} PyCellRunner */

const WORKING_DIRECTORY = "/home/pyodide";
const RUNNER_DIRECTORY = "/cell_runner";

/** In the order in which a boot wants them. */
const CORE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];

export class Runtime {
    #pyodide;
    #runner;
    #interruptBuffer;
    #awaiting = false;

    /** @type {JsonObject} */
    versions;

    /**
     * @param {PyodideAPI} pyodide
     * @param {PyCellRunner} runner
     * @param {Uint8Array | null} interruptBuffer
     */
    constructor(pyodide, runner, interruptBuffer) {
        this.#pyodide = pyodide;
        this.#runner = runner;
        this.#interruptBuffer = interruptBuffer;
        this.versions = JSON.parse(runner.versions());
    }

    /**
     * @param {string} site  Address of the folder of this build, with a slash at its end.
     * @param {Uint8Array | null} interruptBuffer
     * @param {Notify} notify
     */
    static async load(site, interruptBuffer, notify) {
        const report = reporter(notify);
        report.stage("download", "Fetching the list of files");
        const manifest = await fetchManifest(site);
        const files = new VerifiedFiles(site, manifest, report.bytes);
        files.prefetch(downloads(manifest));

        report.stage("download", "Downloading Python");
        const pyodide = await startPyodide(site, files, report);
        for (const name of manifest.runtime.packages) {
            report.stage("packages", `Installing ${name}`);
            await installPackage(pyodide, name);
        }
        report.stage("library", "Installing replay_lab");
        await installWheel(pyodide, site + manifest.wheel);

        report.stage("library", "Importing numpy and replay_lab");
        const runner = await createRunner(pyodide, files, manifest);
        if (interruptBuffer !== null) pyodide.setInterruptBuffer(interruptBuffer);
        return new Runtime(pyodide, runner, interruptBuffer);
    }

    /**
     * @param {CellRef} cell
     * @param {string} source
     * @param {Notify} notify
     * @returns {Promise<CellEndedBody>}
     */
    async runCell(cell, source, notify) {
        const started = performance.now();
        // An interrupt that arrived after the previous cell had ended must not hit this one.
        this.#interruptBuffer?.fill(0);
        /** @param {string} notice */
        const emit = (notice) => notify(JSON.parse(notice));
        const run = this.#runner.run(`cell ${cell.number}`, source, emit);
        this.#awaiting = true;
        try {
            const ended = JSON.parse(await run);
            return { type: "cell-ended", elapsedMs: performance.now() - started, ...ended };
        } finally {
            this.#awaiting = false;
            run.destroy();
            this.#interruptBuffer?.fill(0);
        }
    }

    /** Cancel a cell that awaits. One that computes is reached through the interrupt buffer instead. */
    interrupt() {
        if (!this.#awaiting) return;
        // An awaiting cell would never see the buffer; left in, the signal would hit Python's event loop.
        this.#interruptBuffer?.fill(0);
        this.#runner.cancel();
    }

    /**
     * All that the last run of a cell wrote under a name, as UTF-8.
     *
     * @param {CellRef} cell
     * @param {string} name
     * @returns {ArrayBuffer}
     */
    outputText(cell, name) {
        return new TextEncoder().encode(this.#runner.output_text(`cell ${cell.number}`, name)).buffer;
    }

    /**
     * @param {string} typed
     * @returns {string[]}
     */
    complete(typed) {
        return JSON.parse(this.#runner.complete(typed));
    }

    /** Whether Python still answers. */
    isAlive() {
        try {
            this.#pyodide.runPython("");
            return true;
        } catch {
            return false;
        }
    }

    /** @returns {FileEntry[]} */
    listFiles() {
        return JSON.parse(this.#runner.list_files());
    }

    /** @returns {ArrayBuffer} */
    zipFiles() {
        const archive = this.#runner.zip_files();
        try {
            return archive.toJs().slice().buffer;
        } finally {
            archive.destroy();
        }
    }

    /**
     * @param {string} name
     * @returns {ArrayBuffer}
     */
    readFile(name) {
        if (!this.listFiles().some((file) => file.name === name)) throw new Error(`there is no file ${name} in the working directory`);
        return this.#pyodide.FS.readFile(`${WORKING_DIRECTORY}/${name}`).slice().buffer;
    }
}

/**
 * @param {string} site
 * @param {VerifiedFiles} files
 * @param {ReturnType<typeof reporter>} report
 * @returns {Promise<PyodideAPI>}
 */
async function startPyodide(site, files, report) {
    const indexURL = `${site}runtime/`;
    // Modules can only be imported by address: verify their bytes first, then let the browser take the same file.
    await Promise.all([files.take("runtime/pyodide.mjs"), files.take("runtime/pyodide.asm.mjs")]);
    globalThis.fetch = files.asFetch();
    /** @type {import("./pyodide-types.js").PyodideModule} */
    const { loadPyodide } = await import(`${indexURL}pyodide.mjs`);
    report.stage("start", "Starting Python");
    return loadPyodide({
        indexURL,
        lockFileURL: `${indexURL}pyodide-lock.json`,
        packageBaseUrl: indexURL,
        env: { HOME: WORKING_DIRECTORY, MPLBACKEND: "agg" },
    });
}

/**
 * @param {PyodideAPI} pyodide
 * @param {string} name
 */
async function installPackage(pyodide, name) {
    /** @type {string[]} */
    const complaints = [];
    await pyodide.loadPackage(name, {
        messageCallback: () => undefined,
        errorCallback: (message) => complaints.push(message),
    });
    // Pyodide refuses a damaged wheel, yet its promise resolves: only the list of loaded packages tells.
    if (!Object.hasOwn(pyodide.loadedPackages, name) || complaints.length > 0) {
        throw new Error(`${name} could not be installed: ${complaints.join("; ") || "Pyodide gave no reason"}. Run again to retry.`);
    }
}

/**
 * @param {PyodideAPI} pyodide
 * @param {string} address
 */
async function installWheel(pyodide, address) {
    const micropip = pyodide.pyimport("micropip");
    try {
        // numpy and matplotlib are in place already; nothing else may be looked for.
        await micropip.install.callKwargs(address, { deps: false });
    } finally {
        micropip.destroy();
    }
}

/**
 * @param {PyodideAPI} pyodide
 * @param {VerifiedFiles} files
 * @param {Manifest} manifest
 * @returns {Promise<PyCellRunner>}
 */
async function createRunner(pyodide, files, manifest) {
    const saved = await files.takeText(manifest.saved);
    const bits = await files.takeText(manifest.bits);
    pyodide.FS.mkdir(RUNNER_DIRECTORY);
    for (const path of runnerFiles(manifest)) {
        pyodide.FS.writeFile(RUNNER_DIRECTORY + path.slice(path.lastIndexOf("/")), await files.takeText(path));
    }
    pyodide.FS.chdir(WORKING_DIRECTORY);
    pyodide.runPython(`import sys; sys.path.append("${RUNNER_DIRECTORY}")`);
    const module = pyodide.pyimport("cell_runner");
    try {
        return module.CellRunner(saved, bits);
    } finally {
        module.destroy();
    }
}

/**
 * Everything a first run needs, in the order in which it is wanted.
 *
 * @param {Manifest} manifest
 */
function downloads(manifest) {
    const core = CORE.map((name) => `runtime/${name}`);
    const wheels = Object.keys(manifest.files).filter((path) => path.startsWith("runtime/") && path.endsWith(".whl"));
    const rank = (/** @type {string} */ path) => {
        const index = manifest.runtime.packages.findIndex((name) => path.startsWith(`runtime/${name}-`));
        return index === -1 ? manifest.runtime.packages.length : index;
    };
    wheels.sort((one, other) => rank(one) - rank(other));
    return [...core, ...wheels, manifest.wheel, ...runnerFiles(manifest), manifest.saved, manifest.bits];
}

/** The modules that run cells. @param {Manifest} manifest */
function runnerFiles(manifest) {
    return Object.keys(manifest.files).filter((path) => path.startsWith("page/python/"));
}

/** @param {Notify} notify */
function reporter(notify) {
    /** @type {{stage: LoadStage, text: string, loadedBytes: number, totalBytes: number}} */
    const now = { stage: "download", text: "", loadedBytes: 0, totalBytes: 0 };
    let lastPost = 0;
    const post = () => {
        lastPost = performance.now();
        notify({ type: "progress", ...now });
    };
    return {
        /**
         * @param {LoadStage} stage
         * @param {string} text
         */
        stage(stage, text) {
            Object.assign(now, { stage, text });
            post();
        },
        /**
         * @param {number} loadedBytes
         * @param {number} totalBytes
         */
        bytes(loadedBytes, totalBytes) {
            Object.assign(now, { loadedBytes, totalBytes });
            if (performance.now() - lastPost > 100 || loadedBytes === totalBytes) post();
        },
    };
}
