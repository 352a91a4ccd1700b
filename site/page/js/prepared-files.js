/** What the build has prepared for a fast boot, and where it goes. site/build/prepared.py writes it. */

import { unpackBundle } from "./bundle.js";
import { FIRST_PACKAGE, installPackage } from "./start-pyodide.js";

/** @typedef {import("./start-pyodide.js").BootContext} BootContext */
/** @typedef {import("./pyodide-types.js").PyodideAPI} PyodideAPI */
/** @typedef {"lab" | "numbers" | "numbers-native" | "figures" | "figures-native" | "rest"} BundleName */

export const SITE_PACKAGES = "/lib/python3.14/site-packages";
export const STDLIB = "prepared/stdlib.zip";
export const SNAPSHOT = "prepared/snapshot.bundle";

/** What Pyodide itself calls the packages of its lock file. */
const SOURCE = "default channel";

/** @param {BundleName} name */
export function bundlePath(name) {
    return `prepared/${name}.bundle`;
}

/**
 * @param {BootContext} context
 * @param {PyodideAPI} pyodide
 * @param {BundleName[]} names
 */
export async function unpackBundles({ files }, pyodide, names) {
    for (const name of names) unpackBundle(await files.take(bundlePath(name)), SITE_PACKAGES, pyodide.FS);
    // Python may have listed these folders before.
    pyodide.runPython("import importlib; importlib.invalidate_caches()");
}

/**
 * Bring the other packages; from their wheels if the prepared files do not arrive whole.
 *
 * @param {BootContext} context
 * @param {PyodideAPI} pyodide
 * @param {BundleName[]} names
 */
export async function finishPrepared(context, pyodide, names) {
    const { manifest, files } = context;
    // Where numpy is there already, its wheel need not follow, whichever way the others come.
    if (!names.includes("numbers")) pyodide.loadedPackages[FIRST_PACKAGE] = SOURCE;
    try {
        files.prefetch(names.map(bundlePath));
        await unpackBundles(context, pyodide, names);
        for (const { name } of Object.values(pyodide.lockfile.packages)) pyodide.loadedPackages[name] = SOURCE;
    } catch (error) {
        console.warn("The prepared packages cannot be used; their wheels are installed instead.", error);
        for (const name of manifest.runtime.packages) await installPackage(pyodide, name);
    }
}
