/**
 * Native modules of Python, linked in one fixed order before Python starts: then memory addresses and function-table
 * slots come out alike in every engine, and a memory snapshot fits.
 *
 * Written for the Emscripten in Pyodide 314; tests/page/test_boots.py says what an upgrade breaks.
 *
 * @typedef {{refcount: number, name: string, exports: unknown, global: boolean}} Library
 * @typedef {{
 *   HEAP8: Int8Array<ArrayBuffer>,
 *   HEAPU8: Uint8Array<ArrayBuffer>,
 *   GOT: Record<string, {value: number}>,
 *   LDSO: {loadedLibsByName: Record<string, Library>, loadedLibsByHandle: Record<string, Library>},
 *   wasmTable: WebAssembly.Table,
 *   onPostCtors: (() => void)[],
 *   jspiSupported: boolean,
 *   __PyRuntime: number,
 *   __PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET: number,
 *   FS: import("./bundle.js").Folders,
 *   addRunDependency(name: string): void,
 *   removeRunDependency(name: string): void,
 *   growMemory(size: number): 1 | undefined,
 *   reportUndefinedSymbols(): void,
 *   _emscripten_get_sbrk_ptr(): number,
 *   loadWebAssemblyModule(module: WebAssembly.Module, flags: object, name: string, scope: object): Promise<object>,
 * }} EmscriptenModule
 * @typedef {{preRun: ((module: EmscriptenModule) => void)[], INITIAL_MEMORY?: number}} Settings
 * @typedef {(settings: Settings) => Promise<EmscriptenModule>} CreateModule
 * @typedef {{path: string, module: WebAssembly.Module}} NativeModule
 * @typedef {(...pointers: number[]) => void} SetTimeZone
 */

/** Bytes of a module that exports a table and the one function in it. */
const ONE_FUNCTION = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, // magic number, version
    1, 4, 1, 96, 0, 0, // type 0: nothing to nothing
    3, 2, 1, 0, // function 0 of type 0
    4, 4, 1, 112, 0, 1, // table 0 of one function
    7, 9, 2, 1, 102, 0, 0, 1, 116, 1, 0, // exports f: function 0, and t: table 0
    9, 7, 1, 0, 65, 0, 11, 1, 0, // slot 0 holds function 0
    10, 4, 1, 2, 0, 11, // which does nothing
]);

/** In bytes: a module with one function of many parameters. */
const LARGEST_WRAPPER = 100;

/** What linking leaves behind, for who makes a snapshot and who restores one. */
export class Linking {
    /** The call trampoline of this engine as CPython stores it; 0 where it has none. */
    trampoline = 0;
    /** Slots of the function table once all is linked. */
    tableLength = 0;
    /** @type {(() => void)[]} Constructors of the native modules, to be run once Python has started. */
    constructors = [];
    /** Called when all is linked and nothing of it has run. @type {(module: EmscriptenModule) => void} */
    onLinked = () => undefined;
    /** Emscripten's own function, which reads the time zone from JavaScript. @type {SetTimeZone} */
    setTimeZone = () => undefined;
    /** Where it last put what it had read. @type {number[]} */
    timeZonePointers = [];

    /**
     * Start Python's program with the modules linked in.
     *
     * @param {CreateModule} createModule  Emscripten's.
     * @param {Settings} settings
     * @param {() => Promise<NativeModule[]>} natives
     * @param {Promise<WebAssembly.Module>} [program]  Python itself, where it is compiled already.
     */
    async start(createModule, settings, natives, program) {
        const broken = Promise.withResolvers();
        settings.preRun.push((module) => {
            module.addRunDependency("native-modules");
            natives()
                .then((list) => this.#link(module, list))
                .then(() => module.removeRunDependency("native-modules"), broken.reject);
        });
        const restore = this.#wrapInstantiation(program);
        try {
            return /** @type {EmscriptenModule} */ (await Promise.race([createModule(settings), broken.promise]));
        } finally {
            restore();
        }
    }

    /**
     * @param {EmscriptenModule} module
     * @param {NativeModule[]} natives
     */
    async #link(module, natives) {
        const words = new Int32Array(module.HEAP8.buffer);
        this.trampoline = words[trampolineWord(module)] ?? 0;
        // An engine without the trampoline would have every later function one slot lower.
        if (this.trampoline === 0) module.wasmTable.grow(1);
        const before = module.onPostCtors.length;
        const link = hasTwins() ? linkWithoutTwins : linkOne;
        for (const native of natives) await link(module, native);
        // Once for all of them: it goes through every symbol there is.
        module.reportUndefinedSymbols();
        this.constructors = module.onPostCtors.splice(before);
        this.tableLength = module.wasmTable.length;
        this.onLinked(module);
    }

    /**
     * @param {Promise<WebAssembly.Module>} [program]
     * @returns {() => void} Takes the wrapping away.
     */
    #wrapInstantiation(program) {
        const { instantiate, instantiateStreaming, Module } = WebAssembly;
        const twins = hasTwins();
        /** @param {Promise<unknown>} pending */
        const alike = async (pending) => {
            const source = /** @type {WebAssembly.WebAssemblyInstantiatedSource} */ (await pending);
            const table = source.instance?.exports.__indirect_function_table;
            if (!twins || !(table instanceof WebAssembly.Table)) return source;
            return { module: source.module, instance: { exports: sameObjects(source.instance.exports, table, 0, table.length) } };
        };
        /** @param {WebAssembly.Imports | undefined} imports */
        const listening = (imports) => {
            const env = imports?.env;
            const setTimeZone = env?._tzset_js;
            if (env === undefined || typeof setTimeZone !== "function") return imports;
            this.setTimeZone = /** @type {SetTimeZone} */ (setTimeZone);
            env._tzset_js = Object.assign((/** @type {number[]} */ ...pointers) => {
                this.timeZonePointers = pointers;
                this.setTimeZone(...pointers);
            }, { sig: "vpppp" });
            return imports;
        };
        Object.assign(WebAssembly, {
            Module: compilingOnce(Module),
            instantiate: (/** @type {BufferSource} */ bytes, /** @type {WebAssembly.Imports} */ imports) =>
                alike(instantiate.call(WebAssembly, bytes, listening(imports))),
            instantiateStreaming: (/** @type {Promise<Response>} */ response, /** @type {WebAssembly.Imports} */ imports) =>
                alike(
                    program === undefined
                        ? instantiateStreaming.call(WebAssembly, response, listening(imports))
                        : program.then(async (compiled) => ({
                              module: compiled,
                              instance: await instantiate.call(WebAssembly, compiled, listening(imports)),
                          })),
                ),
        });
        return () => Object.assign(WebAssembly, { instantiate, instantiateStreaming, Module });
    }
}

/**
 * Where CPython stores its call trampoline, in 32-bit words.
 *
 * @param {EmscriptenModule} module
 */
export function trampolineWord(module) {
    const words = new Int32Array(module.HEAP8.buffer);
    return (module.__PyRuntime + (words[module.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET / 4] ?? 0)) / 4;
}

/**
 * One number over all addresses that linking has given out; whatever the order in which they were given.
 *
 * @param {EmscriptenModule} module
 */
export function addressesChecksum(module) {
    let total = 0;
    for (const [name, { value }] of Object.entries(module.GOT)) {
        let hash = 0x811c9dc5 ^ value;
        for (let index = 0; index < name.length; index += 1) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
        total = (total + hash) >>> 0;
    }
    return total;
}

/**
 * Emscripten wraps some 300 functions of JavaScript for the table, each in a small module of its own: there are as many
 * different ones as there are types of functions.
 *
 * @param {typeof WebAssembly.Module} Module
 */
function compilingOnce(Module) {
    /** @type {Map<string, WebAssembly.Module>} */
    const compiled = new Map();
    return new Proxy(Module, {
        construct(target, [bytes]) {
            if (bytes.byteLength > LARGEST_WRAPPER) return new target(bytes);
            const key = String(bytes);
            const known = compiled.get(key) ?? new target(bytes);
            compiled.set(key, known);
            return known;
        },
    });
}

/**
 * Whether an exported function and its entry in the table are two objects here, as they are in WebKit. Emscripten would
 * add such a function to the table a second time.
 */
function hasTwins() {
    const { f, t: table } = new WebAssembly.Instance(new WebAssembly.Module(ONE_FUNCTION)).exports;
    return /** @type {WebAssembly.Table} */ (table).get(0) !== f;
}

/**
 * @param {EmscriptenModule} module
 * @param {NativeModule} native
 */
async function linkOne(module, native) {
    const exports = await module.loadWebAssemblyModule(native.module, { loadAsync: true, nodelete: true, global: false, allowUndefined: true }, native.path, {});
    module.LDSO.loadedLibsByName[native.path] = { refcount: Infinity, name: native.path, exports, global: false };
}

/**
 * @param {EmscriptenModule} module
 * @param {NativeModule} native
 */
async function linkWithoutTwins(module, native) {
    const { Instance } = WebAssembly;
    const from = module.wasmTable.length;
    /**
     * @param {WebAssembly.Module} wasm
     * @param {WebAssembly.Imports} imports
     */
    const alikeInstance = function (wasm, imports) {
        const { exports } = new Instance(wasm, imports);
        return { exports: sameObjects(exports, module.wasmTable, from, module.wasmTable.length) };
    };
    Object.assign(WebAssembly, { Instance: alikeInstance });
    try {
        await linkOne(module, native);
    } finally {
        Object.assign(WebAssembly, { Instance });
    }
}

/**
 * The exports, with the table's own object in the place of each function that is also in the table: the name of a wasm
 * function is its index.
 *
 * @param {WebAssembly.Exports} exports
 * @param {WebAssembly.Table} table
 * @param {number} from
 * @param {number} to
 */
function sameObjects(exports, table, from, to) {
    const own = new Set();
    const byName = new Map();
    for (let index = from; index < to; index += 1) {
        const entry = table.get(index);
        if (entry === null) continue;
        own.add(entry);
        byName.set(entry.name, entry);
    }
    /** @type {Record<string, WebAssembly.ExportValue>} */
    const alike = {};
    for (const [name, value] of Object.entries(exports)) {
        const twin = typeof value === "function" && !own.has(value) ? byName.get(value.name) : undefined;
        alike[name] = twin !== undefined && typeof value === "function" && twin.length === value.length ? twin : value;
    }
    return alike;
}
