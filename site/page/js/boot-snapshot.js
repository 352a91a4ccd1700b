/** The snapshot boot: memory as it was in a Python that had imported and drawn everything, when the site was built. */

import { readBundle, unpackBundle } from "./bundle.js";
import { bundlePath, finishPrepared, SITE_PACKAGES, SNAPSHOT, STDLIB, unpackBundles } from "./prepared-files.js";
import { Snapshot } from "./snapshot-restore.js";
import { CORE_FILES, LOCK_FILE, startPyodide } from "./start-pyodide.js";

/** @typedef {import("./start-pyodide.js").BootContext} BootContext */
/** @typedef {import("./native-modules.js").NativeModule} NativeModule */

/** @type {import("./prepared-files.js").BundleName[]} */
const NATIVE = ["numbers-native", "figures-native"];
/** @type {import("./prepared-files.js").BundleName[]} */
const LATER = ["figures", "numbers", "rest"];

/** @type {import("./start-pyodide.js").Boot} */
export const snapshotBoot = {
    firstFiles: () => [...CORE_FILES, ...NATIVE.map(bundlePath), SNAPSHOT, STDLIB, LOCK_FILE, bundlePath("lab")],

    async start(context) {
        const { site, files, manifest } = context;
        const bundles = Promise.all(NATIVE.map((name) => files.take(bundlePath(name))));
        const compiled = bundles.then(compileAll);
        // Whoever waits for it sees it fail; until then nobody does.
        compiled.catch(() => undefined);
        const bytes = files.take(SNAPSHOT);
        bytes.catch(() => undefined);

        const pyodide = await startPyodide(context, async (indexURL) => {
            const { default: createModule } = await import(`${indexURL}pyodide.asm.mjs`);
            const snapshot = new Snapshot(await bytes, manifest.runtime.version);
            return { stdLibURL: site + STDLIB, ...snapshot.options(createModule, async () => snapshot.inOrder(await compiled)) };
        });
        context.stage("library", "Restoring numpy and replay_lab");
        await unpackBundles(context, pyodide, ["lab"]);
        return {
            pyodide,
            renew: () => renew(pyodide),
            async finish() {
                for (const bundle of await bundles) unpackBundle(bundle, SITE_PACKAGES, pyodide.FS);
                await finishPrepared(context, pyodide, LATER);
            },
        };
    },
};

/**
 * @param {Uint8Array<ArrayBuffer>[]} bundles
 * @returns {Promise<NativeModule[]>}
 */
function compileAll(bundles) {
    const files = bundles.flatMap(readBundle);
    return Promise.all(
        files.map(async ({ path, content }) => ({ path: `${SITE_PACKAGES}/${path}`, module: await WebAssembly.compile(content) })),
    );
}

/** @param {import("./pyodide-types.js").PyodideAPI} pyodide */
function renew(pyodide) {
    const year = new Date().getFullYear();
    const module = pyodide.pyimport("after_restore");
    try {
        module.renew(new Date(year, 0, 1).getTimezoneOffset(), new Date(year, 6, 1).getTimezoneOffset());
    } finally {
        module.destroy();
    }
}
