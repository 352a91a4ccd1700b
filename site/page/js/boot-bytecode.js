/** The bytecode boot: the same Python, whose standard library and packages were compiled when the site was built. */

import { bundlePath, finishPrepared, STDLIB, unpackBundles } from "./prepared-files.js";
import { CORE_FILES, LOCK_FILE, startPyodide } from "./start-pyodide.js";

/** @type {import("./prepared-files.js").BundleName[]} */
const FIRST = ["numbers-native", "numbers", "lab"];
/** @type {import("./prepared-files.js").BundleName[]} */
const LATER = ["figures-native", "figures", "rest"];

/** @type {import("./start-pyodide.js").Boot} */
export const bytecodeBoot = {
    firstFiles: () => [...CORE_FILES, STDLIB, LOCK_FILE, ...FIRST.map(bundlePath)],

    async start(context) {
        const pyodide = await startPyodide(context, async () => ({ stdLibURL: context.site + STDLIB }));
        context.stage("packages", "Installing numpy and replay_lab");
        await unpackBundles(context, pyodide, FIRST);
        return { pyodide, renew: () => undefined, finish: () => finishPrepared(context, pyodide, LATER) };
    },
};
