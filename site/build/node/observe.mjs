/**
 * Compile our wheel and find out what a study needs: `node observe.mjs RUNTIME COMPILED WHEEL PAGE OUT`.
 *
 * COMPILED is what compile.mjs wrote, PAGE the folder of the page's own Python. Writes OUT/lab/… and OUT/page/…, our
 * package and the page's Python with bytecode beside the source, and OUT/uses.json: files that a study uses, files that only its figures use, and the native modules among both in
 * the order in which they were linked.
 */

import "./die.mjs";
import fs from "node:fs";
import path from "node:path";
import { freezeWorld } from "./frozen-world.mjs";
import { addHelpers, commonOptions, copyFolder, mountFolder, PAGE_MODULES, SITE_PACKAGES } from "./python-environment.mjs";

const [runtime, compiled, wheel, page, out] = process.argv.slice(2).map((given) => path.resolve(given));
const indexURL = `${runtime}/`;

freezeWorld();
const { loadPyodide } = await import(`${indexURL}pyodide.mjs`);
const pyodide = await loadPyodide({ ...commonOptions(indexURL), stdLibURL: path.join(compiled, "stdlib.zip") });
copyFolder(pyodide, path.join(compiled, "site"), SITE_PACKAGES);
pyodide.unpackArchive(new Uint8Array(fs.readFileSync(wheel)), "wheel", { extractDir: SITE_PACKAGES });
copyFolder(pyodide, page, PAGE_MODULES);
mountFolder(pyodide, out, "/out");
addHelpers(pyodide, ["compiling", "observing", "warm_up"]);
const uses = JSON.parse(pyodide.runPython(`
import importlib, json
import compiling, observing

importlib.invalidate_caches()  # the clock stands still, so a changed folder looks unchanged

for folder in sorted(compiling.SITE_PACKAGES.glob("replay_lab*")):
    compiling.add_bytecode(folder, compiling.Path("/out/lab") / folder.name)
compiling.add_bytecode(compiling.PAGE_MODULES, compiling.Path("/out/page"))
json.dumps(observing.observe())
`));
const linked = Object.keys(pyodide._module.LDSO.loadedLibsByName).filter((name) => name.startsWith(`${SITE_PACKAGES}/`));
uses.native = linked.map((name) => name.slice(SITE_PACKAGES.length + 1));
fs.writeFileSync(path.join(out, "uses.json"), JSON.stringify(uses, null, 1));
