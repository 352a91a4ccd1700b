/** Zstandard, decompressed by the WebAssembly in vendor/zstd.wasm. */

/**
 * @typedef {object} Functions
 * @property {WebAssembly.Memory} memory
 * @property {(size: number) => number} malloc
 * @property {(address: number) => void} free
 * @property {(source: number, size: number) => bigint} ZSTD_findDecompressedSize
 * @property {(target: number, capacity: number, source: number, size: number) => number} ZSTD_decompress
 */

export class Zstd {
    #functions;
    /** Where the latest content is. */
    #latest = 0;

    /** @param {WebAssembly.Module} module */
    constructor(module) {
        const { exports } = new WebAssembly.Instance(module, { env: { emscripten_notify_memory_growth: () => undefined } });
        this.#functions = /** @type {Functions & WebAssembly.Exports} */ (exports);
    }

    /**
     * @param {Uint8Array} compressed  One frame that says how long its content is.
     * @returns {Uint8Array}  Stays as it is until the next call.
     */
    decompress(compressed) {
        const { memory, malloc, free, ZSTD_findDecompressedSize, ZSTD_decompress } = this.#functions;
        free(this.#latest);
        const source = malloc(compressed.length);
        new Uint8Array(memory.buffer).set(compressed, source);
        const size = Number(ZSTD_findDecompressedSize(source, compressed.length));
        this.#latest = malloc(size);
        const written = this.#latest === 0 ? 0 : ZSTD_decompress(this.#latest, size, source, compressed.length);
        free(source);
        if (written !== size) throw new Error(`${compressed.length} bytes of Zstandard cannot be decompressed to ${size}`);
        return new Uint8Array(memory.buffer, this.#latest, size);
    }
}
