/** What a page does that only follows Pyodide's quick start: everything on the main thread, one thing after the other. */

const status = /** @type {HTMLElement} */ (document.querySelector("[role=status]"));

document.querySelector("button")?.addEventListener("click", async () => {
    const { wheel, cells } = await (await fetch("study.json")).json();
    const { loadPyodide } = await import("./pyodide.js");
    const python = await loadPyodide();
    await python.loadPackage(["numpy", "matplotlib", "micropip"]);
    await python.pyimport("micropip").install(new URL(wheel, location.href).href);
    await python.runPythonAsync("import numpy");
    let started = 0;
    for (const [index, cell] of cells.entries()) {
        status.textContent = `Running cell ${index + 1}.`;
        started = performance.now();
        await python.runPythonAsync(cell);
    }
    status.textContent = `Cell ${cells.length} finished in ${((performance.now() - started) / 1000).toFixed(2)} s.`;
});
