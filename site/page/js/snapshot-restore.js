/**
 * A memory snapshot put in the place of a started Python: the one file that knows how Pyodide restores.
 *
 * Its head is a bundle of `snapshot.json` (a SnapshotFacts) and `pyodide` (the head that Pyodide itself wrote); bundles of
 * their own hold `pages.zst`, the pages of memory one after the other, compressed: they may arrive later. Not among them are
 * those that are zero, and those (`kept`) that are as linking has left them.
 * site/build/node/snapshot.mjs makes both.
 *
 * @typedef {{
 *   pyodide: string,
 *   heapSize: number,
 *   pageSize: number,
 *   runs: [number, number][],
 *   kept: [number, number][],
 *   keptSha256: string,
 *   tableLength: number,
 *   reservedSlots: number,
 *   addresses: number,
 *   libraries: string[],
 *   handles: Record<string, string>,
 *   timeZonePointers: number[],
 *   stackSwitching: {address: number, without: number, with: number},
 * }} SnapshotFacts
 */

import { bundledFile } from "./bundle.js";
import { digestsText, sha256Of } from "./digest.js";
import { addressesChecksum, Linking, trampolineWord } from "./native-modules.js";

/** @typedef {import("./native-modules.js").EmscriptenModule} EmscriptenModule */
/** @typedef {import("./native-modules.js").NativeModule} NativeModule */
/** @typedef {Promise<Uint8Array>[]} Pages  One part after the other. */

export class Snapshot {
    #head;

    /** @type {SnapshotFacts} */
    facts;

    /**
     * @param {Uint8Array<ArrayBuffer>} head
     * @param {string} version  Of Pyodide: a snapshot fits no other.
     */
    constructor(head, version) {
        this.facts = JSON.parse(new TextDecoder().decode(bundledFile(head, "snapshot.json")));
        if (this.facts.pyodide !== version) throw new Error(`the snapshot is one of Pyodide ${this.facts.pyodide}, this is ${version}`);
        this.#head = bundledFile(head, "pyodide");
    }

    /**
     * The native modules in the order in which they must be linked.
     *
     * @param {NativeModule[]} natives
     */
    #inOrder(natives) {
        return this.facts.libraries.map((path) => {
            const native = natives.find((candidate) => candidate.path === path);
            if (native === undefined) throw new Error(`the snapshot needs ${path}, which is in no bundle`);
            return native;
        });
    }

    /**
     * What makes `loadPyodide` take this snapshot instead of starting Python.
     *
     * @param {import("./native-modules.js").CreateModule} createModule  Emscripten's.
     * @param {Promise<WebAssembly.Module>} program  Python itself.
     * @param {Promise<NativeModule[]>} natives
     * @param {Pages} parts
     */
    options(createModule, program, natives, parts) {
        return {
            // A copy, since Pyodide reads it in words: it must begin at an even address.
            _loadSnapshot: this.#head.slice(),
            createPyodideModule: async (/** @type {import("./native-modules.js").Settings} */ settings) => {
                // Pyodide would make the memory as large as the head alone.
                delete settings.INITIAL_MEMORY;
                const linking = new Linking();
                const module = await linking.start(createModule, settings, async () => this.#inOrder(await natives), program);
                this.#check(module, linking);
                await Promise.all([this.#checkKept(module), this.#fill(module, parts)]);
                this.#adapt(module, linking);
                return module;
            },
        };
    }

    /**
     * @param {EmscriptenModule} module
     * @param {Linking} linking
     */
    #check(module, linking) {
        const { tableLength, reservedSlots, addresses, heapSize } = this.facts;
        if (linking.tableLength !== tableLength || module.wasmTable.length !== tableLength) {
            throw new Error(`this browser's function table has ${module.wasmTable.length} slots, the snapshot's ${tableLength}`);
        }
        module.wasmTable.grow(reservedSlots);
        const here = addressesChecksum(module);
        if (here !== addresses) throw new Error(`this browser's addresses have the checksum ${here}, the snapshot's ${addresses}`);
        if (module.HEAP8.length < heapSize && module.growMemory(heapSize) === undefined) {
            throw new Error(`this browser gives no ${heapSize} bytes of memory`);
        }
    }

    /** @param {EmscriptenModule} module */
    async #checkKept(module) {
        const { kept, pageSize, keptSha256 } = this.facts;
        const here = await sha256OfRuns(module.HEAPU8, kept, pageSize);
        if (here !== keptSha256) throw new Error(`this browser's linked memory is not the snapshot's (${digestsText(here, keptSha256)})`);
    }

    /**
     * @param {EmscriptenModule} module
     * @param {Pages} parts  They are used up.
     */
    async #fill(module, parts) {
        const { runs, kept, pageSize, heapSize } = this.facts;
        const stays = new Set(kept);
        const heap = module.HEAPU8;
        // What lies behind the last allocation has never been written to.
        const used = new Uint32Array(heap.buffer)[module._emscripten_get_sbrk_ptr() / 4] ?? heapSize;
        /** @type {Uint8Array} */
        let pages = new Uint8Array(0);
        let next = 0;
        for (const run of [...runs, ...kept].sort(([first], [other]) => first - other)) {
            const [first, count] = run;
            heap.fill(0, next, Math.min(first * pageSize, used));
            next = first * pageSize;
            const end = next + count * pageSize;
            if (stays.has(run)) next = end;
            while (next < end) {
                if (pages.length === 0) pages = await nextPart(parts);
                const taken = pages.subarray(0, end - next);
                heap.set(taken, next);
                next += taken.length;
                pages = pages.subarray(taken.length);
            }
        }
        heap.fill(0, next, used);
        if (pages.length > 0 || parts.length > 0) throw new Error("the snapshot has more pages than its table names");
    }

    /**
     * Engines differ in three words of memory, and in their time zone.
     *
     * @param {EmscriptenModule} module
     * @param {Linking} linking
     */
    #adapt(module, linking) {
        const { handles, timeZonePointers, stackSwitching } = this.facts;
        for (const [handle, path] of Object.entries(handles)) {
            const library = module.LDSO.loadedLibsByName[path];
            if (library === undefined) throw new Error(`the snapshot uses ${path}, which is not linked`);
            module.LDSO.loadedLibsByHandle[handle] = library;
        }
        const words = new Int32Array(module.HEAP8.buffer);
        words[trampolineWord(module)] = linking.trampoline;
        words[stackSwitching.address / 4] = module.jspiSupported ? stackSwitching.with : stackSwitching.without;
        linking.setTimeZone(...timeZonePointers);
    }
}

/**
 * The digest of what these pages hold now.
 *
 * @param {Uint8Array} heap
 * @param {[number, number][]} runs
 * @param {number} pageSize
 */
export function sha256OfRuns(heap, runs, pageSize) {
    const bytes = new Uint8Array(runs.reduce((total, [, count]) => total + count, 0) * pageSize);
    let end = 0;
    for (const [first, count] of runs) {
        bytes.set(heap.subarray(first * pageSize, (first + count) * pageSize), end);
        end += count * pageSize;
    }
    return sha256Of(bytes);
}

/** @param {Pages} parts  Loses its first. */
async function nextPart(parts) {
    const part = await parts.shift();
    if (part === undefined) throw new Error("the snapshot has fewer pages than its table names");
    return part;
}
