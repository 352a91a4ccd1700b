/**
 * Compile the standard library and the packages of the runtime: `node compile.mjs RUNTIME NAME,NAME… OUT`.
 *
 * Writes OUT/stdlib.zip and OUT/site/…: what Pyodide's own installation of these packages has written, with
 * bytecode in the place of source.
 */

import "./die.mjs";
import path from "node:path";
import { freezeWorld } from "./frozen-world.mjs";
import { addHelpers, commonOptions, mountFolder } from "./python-environment.mjs";

const [runtime, names, out] = process.argv.slice(2);
const indexURL = `${path.resolve(runtime)}/`;

freezeWorld();
const { loadPyodide } = await import(`${indexURL}pyodide.mjs`);
const pyodide = await loadPyodide({ ...commonOptions(indexURL), packageBaseUrl: indexURL });
const complaints = [];
await pyodide.loadPackage(names.split(","), { messageCallback: () => undefined, errorCallback: (text) => complaints.push(text) });
if (complaints.length > 0) throw new Error(complaints.join("; "));

mountFolder(pyodide, out, "/out");
addHelpers(pyodide, ["compiling"]);
pyodide.runPython(`
import compiling
from pathlib import Path

compiling.compile_stdlib(Path("/out/stdlib.zip"))
compiling.compile_folder(compiling.SITE_PACKAGES, Path("/out/site"))
`);
