/** How Python is started wherever something is prepared: as on the page, and always alike. */

import fs from "node:fs";
import path from "node:path";

export const SITE_PACKAGES = "/lib/python3.14/site-packages";
/** Where the page puts its own Python. */
export const PAGE_MODULES = "/cell_runner";

/** @param {string} runtime */
export function commonOptions(runtime) {
    return {
        indexURL: runtime,
        _sysExecutable: "./this.program",
        env: { HOME: "/home/pyodide", MPLBACKEND: "agg", PYTHONHASHSEED: "0", LANG: "C.UTF-8" },
    };
}

/**
 * Give Python modules of this folder, to be imported by name, and let it find the page's own.
 *
 * @param {{FS: any, runPython(code: string): unknown}} pyodide
 * @param {string[]} names
 */
export function addHelpers(pyodide, names) {
    pyodide.FS.mkdirTree("/tmp/helpers");
    for (const name of names) {
        const text = fs.readFileSync(new URL(`${name}.py`, import.meta.url));
        pyodide.FS.writeFile(`/tmp/helpers/${name}.py`, text);
    }
    pyodide.runPython(`import sys; sys.path += ["${PAGE_MODULES}", "/tmp/helpers"]`);
}

/**
 * Show a folder of this machine to Python.
 *
 * @param {{FS: any}} pyodide
 * @param {string} folder
 * @param {string} place
 */
export function mountFolder(pyodide, folder, place) {
    pyodide.FS.mkdirTree(place);
    pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: path.resolve(folder) }, place);
}

/**
 * Copy a folder of this machine into Python's own files.
 *
 * @param {{FS: any}} pyodide
 * @param {string} folder
 * @param {string} place
 */
export function copyFolder(pyodide, folder, place) {
    for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const source = path.join(entry.parentPath, entry.name);
        const target = `${place}/${path.relative(folder, source).split(path.sep).join("/")}`;
        pyodide.FS.mkdirTree(path.posix.dirname(target));
        pyodide.FS.writeFile(target, new Uint8Array(fs.readFileSync(source)), { canOwn: true });
    }
}
