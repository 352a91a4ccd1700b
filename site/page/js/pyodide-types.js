/**
 * The little of Pyodide that this page uses, as types.
 *
 * @typedef {{destroy(): void}} PyProxy
 * @typedef {PyProxy & {toJs(): Uint8Array<ArrayBuffer>}} PyBytes
 * @typedef {Promise<string> & PyProxy} PyFuture
 * @typedef {PyProxy & {
 *   run(filename: string, source: string, emit: (notice: string) => void): PyFuture,
 *   cancel(): void,
 *   output_text(filename: string, name: string): string,
 *   complete(typed: string): string,
 *   list_files(): string,
 *   zip_files(): PyBytes,
 *   versions(): string,
 * }} PyCellRunner
 * @typedef {PyProxy & {
 *   renew(januaryOffset: number, julyOffset: number): void,
 *   needs(source: string): "numbers" | "figures" | "everything",
 *   CellRunner(savedResults: string, savedBits: string): PyCellRunner,
 * }} PyModule
 * @typedef {{
 *   loadPackage(name: string, options: {
 *     messageCallback: (message: string) => void,
 *     errorCallback: (message: string) => void,
 *   }): Promise<unknown>,
 *   loadedPackages: Record<string, string>,
 *   lockfile: {packages: Record<string, {name: string}>},
 *   pyimport(name: string): PyModule,
 *   runPython(code: string): unknown,
 *   setInterruptBuffer(buffer: {0: number}): void,
 *   _api: {fatal_error(error: unknown): unknown},
 *   FS: {
 *     mkdir(path: string): void,
 *     mkdirTree(path: string): void,
 *     writeFile(path: string, content: string | Uint8Array, options?: {canOwn: boolean}): void,
 *     readFile(path: string): Uint8Array<ArrayBuffer>,
 *     chdir(path: string): void,
 *   },
 * }} PyodideAPI
 * @typedef {{loadPyodide(options: Record<string, unknown>): Promise<PyodideAPI>}} PyodideModule
 */

export {};
