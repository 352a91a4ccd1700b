/** Workers that run scripts of this build. */

/**
 * Start one. Made from a file, it would not be held by a policy in a meta element; made from a blob, it inherits it.
 *
 * @param {string} site
 * @param {string} script  Address below the site.
 * @param {string} name
 */
export function startWorker(site, script, name) {
    const text = `import ${JSON.stringify(site + script)};`;
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const worker = new Worker(address, { type: "module", name });
    worker.addEventListener("message", () => URL.revokeObjectURL(address), { once: true });
    return worker;
}
