/**
 * The little of Pyodide that this page uses, as types.
 *
 * @typedef {{destroy(): void}} PyProxy
 * @typedef {Promise<string> & PyProxy} PyFuture
 * @typedef {PyProxy & {
 *   run(filename: string, source: string, emit: (notice: string) => void): PyFuture,
 *   cancel(): void,
 *   list_files(): string,
 *   versions(): string,
 * }} PyCellRunner
 * @typedef {PyProxy & {
 *   install: {callKwargs(address: string, options: {deps: boolean}): Promise<void>},
 *   CellRunner(savedResults: string, savedBits: string): PyCellRunner,
 * }} PyModule
 * @typedef {{
 *   loadPackage(name: string, options: {
 *     messageCallback: (message: string) => void,
 *     errorCallback: (message: string) => void,
 *   }): Promise<unknown>,
 *   loadedPackages: Record<string, string>,
 *   pyimport(name: string): PyModule,
 *   runPython(code: string): unknown,
 *   setInterruptBuffer(buffer: Uint8Array): void,
 *   FS: {
 *     mkdir(path: string): void,
 *     writeFile(path: string, text: string): void,
 *     readFile(path: string): Uint8Array<ArrayBuffer>,
 *     chdir(path: string): void,
 *   },
 * }} PyodideAPI
 * @typedef {{loadPyodide(options: Record<string, unknown>): Promise<PyodideAPI>}} PyodideModule
 */

export {};
