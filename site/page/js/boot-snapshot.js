/** The snapshot boot: memory as it was in a Python that had imported and drawn everything, when the site was built. */

import {
    bundlePath, markInstalled, nativePaths, nativePlace, orInstall, PAGE_MODULES, STDLIB, unpackBundles, unpackPageModules,
} from "./prepared-files.js";
import { Snapshot } from "./snapshot-restore.js";
import { CORE_FILES, LOCK_FILE, PROGRAM, startPyodide } from "./start-pyodide.js";

/** @typedef {import("./start-pyodide.js").BootContext} BootContext */
/** @typedef {import("./pyodide-types.js").PyodideAPI} PyodideAPI */

const HEAD = "prepared/snapshot.bundle";
const PAGES = /^prepared\/snapshot-pages-\d+\.bundle$/;
const STDLIB_PLACE = "/lib/python314.zip";

/** Stands for the standard library until a cell needs more of it than is in memory. */
const NO_STDLIB = "prepared/empty.zip";

/** @type {import("./prepared-files.js").BundleName[]} */
const REST = ["numbers", "figures", "rest"];

/** @type {import("./start-pyodide.js").Boot} */
export const snapshotBoot = {
    firstFiles: (manifest) => [
        ...CORE_FILES, HEAD, NO_STDLIB, LOCK_FILE, bundlePath("lab"), PAGE_MODULES,
    ],
    modules: () => [PROGRAM],
    supplied,

    async start(context) {
        const { site, files, manifest, supply, stage } = context;
        if (supply === null) throw new Error("the worker that a snapshot needs was not started");
        const ordered = supply.order({ site, manifest, ...supplied(manifest) });
        const modules = quietly(Promise.all(ordered.modules.map(native)));
        const pages = ordered.pages.map(quietly);
        const program = quietly(files.takeModule(PROGRAM));
        const head = quietly(files.take(HEAD));
        const pyodide = await startPyodide(context, async (createModule) => {
            const snapshot = new Snapshot(await head, manifest.runtime.version);
            return { stdLibURL: site + NO_STDLIB, ...snapshot.options(createModule, program, modules, pages) };
        });
        stage("library", "Restoring numpy and replay_lab");
        await unpackBundles(context, pyodide, ["lab"]);
        await unpackPageModules(context, pyodide);
        return {
            pyodide,
            renew: () => renew(pyodide),
            bringFigures: () => orInstall(context, pyodide, async () => {
                await unpackBundles(context, pyodide, ["figures-data"]);
            }),
            bringRest: () => bringRest(context, pyodide),
        };
    },
};

/** @param {import("./site-files.js").Manifest} manifest */
function natives(manifest) {
    const { numbers, figures } = nativePaths(manifest);
    return [...numbers, ...figures];
}

/** @param {import("./site-files.js").Manifest} manifest */
function supplied(manifest) {
    return { modules: natives(manifest), pages: Object.keys(manifest.files).filter((path) => PAGES.test(path)) };
}

/** @param {Promise<{path: string, module: WebAssembly.Module}>} arriving */
async function native(arriving) {
    const { path, module } = await arriving;
    return { path: nativePlace(path), module };
}

/**
 * @param {BootContext} context
 * @param {PyodideAPI} pyodide
 */
async function bringRest(context, pyodide) {
    const { files, manifest } = context;
    files.prefetch([STDLIB, ...REST.map(bundlePath)]);
    // Nothing replaces the standard library, should it not arrive.
    pyodide.FS.writeFile(STDLIB_PLACE, await files.take(STDLIB), { canOwn: true });
    await orInstall(context, pyodide, async () => {
        await unpackBundles(context, pyodide, REST);
        // Linked already: only their names are looked for.
        for (const path of natives(manifest)) pyodide.FS.writeFile(nativePlace(path), "");
        markInstalled(pyodide);
    });
}

/** @param {PyodideAPI} pyodide */
function renew(pyodide) {
    const year = new Date().getFullYear();
    const module = pyodide.pyimport("after_restore");
    try {
        module.renew(new Date(year, 0, 1).getTimezoneOffset(), new Date(year, 6, 1).getTimezoneOffset());
    } finally {
        module.destroy();
    }
}

/**
 * Whoever waits for it sees it fail; until then nobody does.
 *
 * @template T
 * @param {Promise<T>} promise
 */
function quietly(promise) {
    promise.catch(() => undefined);
    return promise;
}
