/** The stock boot: Pyodide and its wheels as they are published. Slow, documented, and always there. */

import {
    CORE_FILES, FIRST_PACKAGE, installPackage, LOCK_FILE, pageModules, startPyodide, writePageModules,
} from "./start-pyodide.js";

/** @typedef {import("./site-files.js").Manifest} Manifest */

/** @type {import("./start-pyodide.js").Boot} */
export const stockBoot = {
    firstFiles: (manifest) => [
        ...CORE_FILES,
        "runtime/python_stdlib.zip",
        LOCK_FILE,
        ...wheels(manifest).filter((path) => isFirst(path)),
        manifest.wheel,
        ...pageModules(manifest),
    ],

    async start(context) {
        const { site, manifest, files, stage } = context;
        const pyodide = await startPyodide(context);
        stage("packages", `Installing ${FIRST_PACKAGE}`);
        await installPackage(pyodide, FIRST_PACKAGE);
        stage("library", "Installing replay_lab");
        await installPackage(pyodide, site + manifest.wheel, "replay_lab");
        await writePageModules(context, pyodide);
        return {
            pyodide,
            renew: () => undefined,
            async bringFigures() {
                files.prefetch(wheels(manifest).filter((path) => !isFirst(path)));
                for (const name of manifest.runtime.packages) await installPackage(pyodide, name);
            },
            bringRest: async () => undefined,
        };
    },
};

/** @param {string} path */
function isFirst(path) {
    return path.startsWith(`runtime/${FIRST_PACKAGE}-`);
}

/** @param {Manifest} manifest */
function wheels({ files }) {
    return Object.keys(files).filter((path) => path.startsWith("runtime/") && path.endsWith(".whl"));
}
