/** The bytecode boot: the same Python, whose standard library and packages were compiled when the site was built. */

import {
    bundlePath, markInstalled, nativePaths, orInstall, PAGE_MODULES, STDLIB, unpackBundles, unpackPageModules, writeNatives,
} from "./prepared-files.js";
import { CORE_FILES, LOCK_FILE, startPyodide } from "./start-pyodide.js";

/** @typedef {import("./prepared-files.js").BundleName} BundleName */

/** @type {BundleName[]} */
const NUMBERS = ["numbers", "lab"];
/** @type {BundleName[]} */
const FIGURES = ["figures", "figures-data"];

/** @type {import("./start-pyodide.js").Boot} */
export const bytecodeBoot = {
    firstFiles: (manifest) => [...CORE_FILES, STDLIB, LOCK_FILE, ...nativePaths(manifest).numbers, ...NUMBERS.map(bundlePath), PAGE_MODULES],

    async start(context) {
        const { manifest, files, stage, site } = context;
        const { numbers, figures } = nativePaths(manifest);
        const pyodide = await startPyodide(context, async () => ({ stdLibURL: site + STDLIB }));
        stage("packages", "Installing numpy and replay_lab");
        await writeNatives(context, pyodide, numbers);
        await unpackBundles(context, pyodide, NUMBERS);
        await unpackPageModules(context, pyodide);
        return {
            pyodide,
            renew: () => undefined,
            bringFigures: () => orInstall(context, pyodide, async () => {
                files.prefetch([...figures, ...FIGURES.map(bundlePath)]);
                await writeNatives(context, pyodide, figures);
                await unpackBundles(context, pyodide, FIGURES);
            }),
            bringRest: () => orInstall(context, pyodide, async () => {
                await unpackBundles(context, pyodide, ["rest"]);
                markInstalled(pyodide);
            }),
        };
    },
};
