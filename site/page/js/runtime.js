/** Python in this worker: the only file that knows Pyodide. */

import { bytecodeBoot } from "./boot-bytecode.js";
import { snapshotBoot } from "./boot-snapshot.js";
import { stockBoot } from "./boot-stock.js";
import { withoutLoss } from "./interrupt-signal.js";
import { RUNNER_DIRECTORY, WORKING_DIRECTORY } from "./start-pyodide.js";
import { Supply } from "./supply.js";
import { VerifiedFiles } from "./verified-files.js";

/** @typedef {import("./site-files.js").Manifest} Manifest */
/** @typedef {import("./protocol.js").BootName} BootName */
/** @typedef {import("./protocol.js").CellRef} CellRef */
/** @typedef {import("./protocol.js").FileEntry} FileEntry */
/** @typedef {import("./protocol.js").JsonObject} JsonObject */
/** @typedef {import("./protocol.js").LoadStage} LoadStage */
/** @typedef {import("./protocol.js").Body<import("./protocol.js").Notice>} NoticeBody */
/** @typedef {import("./protocol.js").Body<import("./protocol.js").CellEndedReply>} CellEndedBody */
/** @typedef {(notice: NoticeBody) => void} Notify */
/** @typedef {import("./pyodide-types.js").PyCellRunner} PyCellRunner */

/** So long after the last cell the rest of the packages is fetched, unless a cell asks for it earlier. */
const IDLE_MS = 300;

/** Each word of progress costs the page a frame, and the start competes with it for the processor. */
const PROGRESS_MS = 250;

/** @type {Record<BootName, import("./start-pyodide.js").Boot>} */
const BOOTS = { snapshot: snapshotBoot, bytecode: bytecodeBoot, stock: stockBoot };

export class Runtime {
    #pyodide;
    #runner;
    #needs;
    #booted;
    #interruptBuffer;
    #awaiting = false;
    #idle = 0;

    /** Present while a cell waits for packages. @type {(() => void) | null} */
    #stopWaiting = null;

    /** @type {Promise<void> | null} */
    #figures = null;
    /** @type {Promise<void> | null} */
    #rest = null;

    /** @type {JsonObject} */
    versions;

    /**
     * @param {import("./start-pyodide.js").Booted} booted
     * @param {PageModules} modules
     * @param {Uint8Array | null} interruptBuffer
     */
    constructor(booted, { runner, needs }, interruptBuffer) {
        this.#booted = booted;
        this.#pyodide = booted.pyodide;
        this.#runner = runner;
        this.#needs = needs;
        this.#interruptBuffer = interruptBuffer;
        this.versions = JSON.parse(runner.versions());
        this.#bringRestWhenIdle();
    }

    /**
     * Start Python as the page asks for it.
     *
     * @param {import("./protocol.js").LoadRequest} request
     * @param {Notify} notify
     */
    static async load({ site, manifest, supply, interruptBuffer, ...request }, notify) {
        const report = reporter(notify);
        const boot = BOOTS[request.boot];
        const asksAgain = (/** @type {string} */ reason) => report.stage("download", `${reason}; asking again`);
        const files = new VerifiedFiles(site, manifest, report.bytesFrom("here"), asksAgain);
        files.prefetch([...boot.firstFiles(manifest), manifest.saved, manifest.bits], boot.modules?.(manifest));

        report.stage("download", "Downloading Python");
        const booted = await boot.start({
            site, manifest, files, stage: report.stage,
            supply: supply === null ? null : new Supply(supply, report.bytesFrom("beside"), asksAgain),
        });
        report.stage("library", "Importing numpy and replay_lab");
        const modules = await importPageModules(booted, files, manifest);
        if (interruptBuffer !== null) booted.pyodide.setInterruptBuffer(withoutLoss(interruptBuffer));
        return new Runtime(booted, modules, interruptBuffer);
    }

    /**
     * @param {CellRef} cell
     * @param {string} source
     * @param {Notify} notify
     * @returns {Promise<CellEndedBody>}
     */
    async runCell(cell, source, notify) {
        clearTimeout(this.#idle);
        if (!(await this.#bringUnlessStopped(this.#needs(source)))) {
            return { type: "cell-ended", outcome: "interrupted", elapsedMs: 0, error: null, agreement: null };
        }
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
            this.#bringRestWhenIdle();
        }
    }

    #bringRestWhenIdle() {
        if (this.#rest === null) this.#idle = setTimeout(() => this.#bring("everything").catch(() => undefined), IDLE_MS);
    }

    /**
     * @param {Need} need
     * @returns {Promise<boolean>}  Whether it is in place; not when the reader pressed Stop meanwhile.
     */
    async #bringUnlessStopped(need) {
        const stopped = new Promise((resolve) => {
            this.#stopWaiting = () => resolve(false);
        });
        try {
            return await Promise.race([stopped, this.#bring(need).then(() => true)]);
        } finally {
            this.#stopWaiting = null;
        }
    }

    /** What failed is tried again by the next cell that needs it. @param {Need} need */
    async #bring(need) {
        if (need === "numbers") return;
        this.#figures ??= this.#booted.bringFigures().catch((error) => {
            this.#figures = null;
            throw error;
        });
        await this.#figures;
        if (need === "figures") return;
        this.#rest ??= this.#booted.bringRest().catch((error) => {
            this.#rest = null;
            throw error;
        });
        await this.#rest;
    }

    /** Cancel a cell that awaits or sleeps. One that computes is reached through the interrupt buffer instead. */
    interrupt() {
        this.#stopWaiting?.();
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
 * @typedef {"numbers" | "figures" | "everything"} Need  What a cell may use.
 * @typedef {{runner: PyCellRunner, needs: (source: string) => Need}} PageModules
 *
 * @param {import("./start-pyodide.js").Booted} booted
 * @param {VerifiedFiles} files
 * @param {Manifest} manifest
 * @returns {Promise<PageModules>}
 */
async function importPageModules({ pyodide, renew }, files, manifest) {
    const saved = await files.takeText(manifest.saved);
    const bits = await files.takeText(manifest.bits);
    pyodide.FS.chdir(WORKING_DIRECTORY);
    pyodide.runPython(`import sys; "${RUNNER_DIRECTORY}" in sys.path or sys.path.append("${RUNNER_DIRECTORY}")`);
    renew();
    const cellNeeds = pyodide.pyimport("cell_needs");
    const module = pyodide.pyimport("cell_runner");
    try {
        return { runner: module.CellRunner(saved, bits), needs: (source) => cellNeeds.needs(source) };
    } finally {
        module.destroy();
    }
}

/** @param {Notify} notify */
function reporter(notify) {
    /** @type {{stage: LoadStage, text: string, loadedBytes: number, totalBytes: number}} */
    const now = { stage: "download", text: "", loadedBytes: 0, totalBytes: 0 };
    /** @type {Map<string, {loadedBytes: number, totalBytes: number}>} */
    const sources = new Map();
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
        /** @param {string} source */
        bytesFrom(source) {
            return (/** @type {number} */ loadedBytes, /** @type {number} */ totalBytes) => {
                sources.set(source, { loadedBytes, totalBytes });
                now.loadedBytes = sum(sources, "loadedBytes");
                now.totalBytes = sum(sources, "totalBytes");
                if (performance.now() - lastPost > PROGRESS_MS || now.loadedBytes === now.totalBytes) post();
            };
        },
    };
}

/**
 * @template {string} Name
 * @param {Map<string, Record<Name, number>>} sources
 * @param {Name} name
 */
function sum(sources, name) {
    return [...sources.values()].reduce((total, source) => total + source[name], 0);
}
