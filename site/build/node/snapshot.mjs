/**
 * Make a memory snapshot: `node snapshot.mjs RUNTIME COMPILED OBSERVED OUT [bare]`.
 *
 * COMPILED and OBSERVED are what compile.mjs and observe.mjs wrote. Writes OUT/snapshot.json, OUT/pyodide and the
 * pages of memory as OUT/pages-00.zst and so on, the parts that site/page/js/snapshot-restore.js puts together again.
 * With `bare`, nothing is imported before; with `bare-switching` this engine also claims to switch stacks: comparing
 * the two, whose pages are OUT/pages, shows the word that remembers it.
 */

import "./die.mjs";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { freezeWorld } from "./frozen-world.mjs";
import { addressesChecksum, Linking } from "../../page/js/native-modules.js";
import { sha256OfRuns } from "../../page/js/snapshot-restore.js";
import { addHelpers, commonOptions, copyFolder, PAGE_MODULES, SITE_PACKAGES } from "./python-environment.mjs";

const PAGE_SIZE = 4096;
const ZEROS = Buffer.alloc(PAGE_SIZE);
/** Each part is verified and decompressed while the next ones arrive. */
const PART_SIZE = 8 << 20;
const COMPRESSION_LEVEL = 19;

const [runtime, compiled, observed, out] = process.argv.slice(2, 6).map((given) => path.resolve(given));
const kind = process.argv[6] ?? "full";
const indexURL = `${runtime}/`;
const uses = JSON.parse(fs.readFileSync(path.join(observed, "uses.json"), "utf8"));
const lock = JSON.parse(fs.readFileSync(path.join(runtime, "pyodide-lock.json"), "utf8"));

freezeWorld();
if (kind === "bare-switching") {
    WebAssembly.Suspending = function Suspending(wrapped) { return wrapped; };
    WebAssembly.promising = (wrapped) => wrapped;
}

const { loadPyodide, version } = await import(`${indexURL}pyodide.mjs`);
const { default: createModule } = await import(`${indexURL}pyodide.asm.mjs`);
const linking = new Linking();
/**
 * Memory when all is linked, and when the program has set itself up: what is the same in both, whoever restores has it, too.
 * What only the second has may have come from a clock or from chance.
 *
 * @type {Uint8Array[]}
 */
const earlier = [];
linking.onLinked = ({ HEAPU8 }) => earlier.push(HEAPU8.slice());
const natives = async () =>
    uses.native.map((name) => ({
        path: `${SITE_PACKAGES}/${name}`,
        module: new WebAssembly.Module(fs.readFileSync(path.join(compiled, "site", name))),
    }));
const pyodide = await loadPyodide({
    ...commonOptions(indexURL),
    stdLibURL: path.join(compiled, "stdlib.zip"),
    lockFileContents: { info: lock.info, packages: {} },
    _makeSnapshot: true,
    createPyodideModule: async (settings) => {
        const started = await linking.start(createModule, settings, natives);
        earlier.push(started.HEAPU8.slice());
        return started;
    },
});
const module = pyodide._module;
if (kind === "full") warmUp();
await write();

function warmUp() {
    for (const construct of linking.constructors) construct();
    copyFolder(pyodide, path.join(compiled, "site"), SITE_PACKAGES);
    copyFolder(pyodide, path.join(observed, "lab"), SITE_PACKAGES);
    // Linked already: only their names are looked for. C would read a whole file into memory, to no purpose.
    for (const name of uses.native) pyodide.FS.writeFile(`${SITE_PACKAGES}/${name}`, "");
    copyFolder(pyodide, path.join(observed, "page"), PAGE_MODULES);
    addHelpers(pyodide, ["warm_up", "tidying"]);
    pyodide.runPython(`
import importlib
importlib.invalidate_caches()
import tidying, warm_up
results = warm_up.numbers()
warm_up.cells(results)
warm_up.figures(results)
del results
tidying.tidy()
del importlib, tidying, warm_up
`);
    zeroFreeMemory();
}

/** What was freed still holds what it held; the snapshot is smaller without. */
function zeroFreeMemory() {
    const end = module.HEAPU32[module._emscripten_get_sbrk_ptr() / 4];
    const taken = [];
    for (let size = 1 << 20; size >= 64; size /= 2) {
        for (;;) {
            const block = module._malloc(size);
            if (block === 0 || block + size > end) {
                module._free(block);
                break;
            }
            module.HEAPU8.fill(0, block, block + size);
            taken.push(block);
        }
    }
    for (const block of taken) module._free(block);
    module.HEAPU8.fill(0, module.HEAPU32[module._emscripten_get_sbrk_ptr() / 4]);
    module.HEAPU8.fill(0, module._emscripten_stack_get_end(), module._emscripten_stack_get_current());
}

async function write() {
    const snapshot = pyodide.makeMemorySnapshot();
    const headSize = new Uint32Array(snapshot.buffer, 0, 2)[1];
    const heap = snapshot.subarray(headSize);
    // The others are compared with one another word by word, and need all pages.
    const isKept = (page) => kind === "full" && earlier.every((memory) => samePage(heap, memory, page));
    const kept = runsOfPages(heap, isKept);
    const runs = runsOfPages(heap, (page) => !isKept(page) && !isZero(heap, page));
    const facts = {
        pyodide: version,
        heapSize: heap.length,
        pageSize: PAGE_SIZE,
        runs,
        kept,
        keptSha256: await sha256OfRuns(heap, kept, PAGE_SIZE),
        tableLength: linking.tableLength,
        reservedSlots: reservedSlots(),
        addresses: addressesChecksum(module),
        libraries: uses.native.map((name) => `${SITE_PACKAGES}/${name}`),
        handles: Object.fromEntries(
            Object.entries(module.LDSO.loadedLibsByHandle).filter(([handle]) => handle !== "0").map(([handle, { name }]) => [handle, name]),
        ),
        timeZonePointers: linking.timeZonePointers,
    };
    fs.writeFileSync(path.join(out, "snapshot.json"), JSON.stringify(facts));
    fs.writeFileSync(path.join(out, "pyodide"), snapshot.subarray(0, headSize));
    const pages = Buffer.concat(runs.map(([first, count]) => heap.subarray(first * PAGE_SIZE, (first + count) * PAGE_SIZE)));
    if (kind === "full") await writeParts(pages);
    else fs.writeFileSync(path.join(out, "pages"), pages);
}

/** @param {Buffer} pages */
async function writeParts(pages) {
    const starts = Array.from({ length: Math.ceil(pages.length / PART_SIZE) }, (_, number) => number * PART_SIZE);
    const parts = await Promise.all(starts.map((start) => compress(pages.subarray(start, start + PART_SIZE))));
    for (const [number, part] of parts.entries()) {
        fs.writeFileSync(path.join(out, `pages-${String(number).padStart(2, "0")}.zst`), part);
    }
}

/** With its size in front, which the page asks for. @param {Buffer} content */
function compress(content) {
    const params = { [zlib.constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL };
    return promisify(zlib.zstdCompress)(content, { params, pledgedSrcSize: content.length });
}

/** Slots that Python has taken since it was linked; a function in one of them could not be restored. */
function reservedSlots() {
    for (let slot = linking.tableLength; slot < module.wasmTable.length; slot += 1) {
        const entry = module.wasmTable.get(slot);
        if (entry !== null) throw new Error(`slot ${slot} of the function table was given to ${entry.name} after linking`);
    }
    return module.wasmTable.length - linking.tableLength;
}

/**
 * @param {Uint8Array} heap
 * @param {(page: number) => boolean} belongs
 * @returns {[number, number][]} First page and number of pages of each run that belongs.
 */
function runsOfPages(heap, belongs) {
    const runs = [];
    for (let page = 0; page < heap.length / PAGE_SIZE; page += 1) {
        if (!belongs(page)) continue;
        const last = runs.at(-1);
        if (last !== undefined && last[0] + last[1] === page) last[1] += 1;
        else runs.push([page, 1]);
    }
    return runs;
}

/**
 * @param {Uint8Array} memory
 * @param {number} page
 */
function pageOf(memory, page) {
    return Buffer.from(memory.buffer, memory.byteOffset, memory.length).subarray(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
}

function isZero(heap, page) {
    return pageOf(heap, page).equals(ZEROS);
}

/** Whether a page holds something, and held the same before. */
function samePage(heap, before, page) {
    return !isZero(heap, page) && pageOf(heap, page).equals(pageOf(before, page));
}
