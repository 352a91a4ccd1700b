/** What the build has prepared for a fast boot, and where it goes. site/build/prepared.py writes it. */

import { unpackBundle } from "./bundle.js";
import { FIRST_PACKAGE, installPackage, RUNNER_DIRECTORY } from "./start-pyodide.js";

/** @typedef {import("./start-pyodide.js").BootContext} BootContext */
/** @typedef {import("./site-files.js").Manifest} Manifest */
/** @typedef {import("./pyodide-types.js").PyodideAPI} PyodideAPI */
/** @typedef {"lab" | "numbers" | "figures" | "figures-data" | "rest"} BundleName */

export const SITE_PACKAGES = "/lib/python3.14/site-packages";
export const STDLIB = "prepared/stdlib.zip";
export const PAGE_MODULES = "prepared/page.bundle";

const NATIVE_FOLDER = "prepared/native/";
const NATIVE_SUFFIX = ".wasm";

/** What Pyodide itself calls the packages of its lock file. */
const SOURCE = "default channel";

/** @param {BundleName} name */
export function bundlePath(name) {
    return `prepared/${name}.bundle`;
}

/**
 * The native modules of numpy, and those of the packages that draw.
 *
 * @param {Manifest} manifest
 */
export function nativePaths({ files }) {
    const all = Object.keys(files).filter((path) => path.startsWith(NATIVE_FOLDER));
    const isNumbers = (/** @type {string} */ path) => path.startsWith(`${NATIVE_FOLDER}${FIRST_PACKAGE}/`);
    return { numbers: all.filter(isNumbers), figures: all.filter((path) => !isNumbers(path)) };
}

/**
 * Where Python finds a native module.
 *
 * @param {string} path
 */
export function nativePlace(path) {
    return `${SITE_PACKAGES}/${path.slice(NATIVE_FOLDER.length, -NATIVE_SUFFIX.length)}`;
}

/**
 * @param {BootContext} context
 * @param {PyodideAPI} pyodide
 * @param {string[]} paths
 */
export async function writeNatives({ files }, pyodide, paths) {
    for (const path of paths) {
        const place = nativePlace(path);
        pyodide.FS.mkdirTree(place.slice(0, place.lastIndexOf("/")));
        pyodide.FS.writeFile(place, await files.take(path), { canOwn: true });
    }
}

/**
 * @param {BootContext} context
 * @param {PyodideAPI} pyodide
 * @param {BundleName[]} names
 */
export async function unpackBundles({ files }, pyodide, names) {
    for (const name of names) unpackBundle(await files.take(bundlePath(name)), SITE_PACKAGES, pyodide.FS);
    relist(pyodide);
}

/** The page's own Python, compiled. @param {BootContext} context @param {PyodideAPI} pyodide */
export async function unpackPageModules({ files }, pyodide) {
    unpackBundle(await files.take(PAGE_MODULES), RUNNER_DIRECTORY, pyodide.FS);
}

/** Python may have listed folders before they were filled. @param {PyodideAPI} pyodide */
export function relist(pyodide) {
    pyodide.runPython("import importlib; importlib.invalidate_caches()");
}

/** From now on these are installed, as far as Pyodide and micropip know. @param {PyodideAPI} pyodide */
export function markInstalled(pyodide) {
    for (const { name } of Object.values(pyodide.lockfile.packages)) pyodide.loadedPackages[name] = SOURCE;
}

/**
 * Bring prepared packages; from their wheels if they do not arrive whole.
 *
 * @param {BootContext} context
 * @param {PyodideAPI} pyodide
 * @param {() => Promise<void>} bring
 */
export async function orInstall({ manifest }, pyodide, bring) {
    try {
        await bring();
    } catch (error) {
        console.warn("The prepared packages cannot be used; their wheels are installed instead.", error);
        for (const name of manifest.runtime.packages) await installPackage(pyodide, name);
    }
}
