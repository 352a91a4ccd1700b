/**
 * What the page itself takes from its site, each by its digest: index.html has that of the list of files, the list has
 * those of all others.
 *
 * @typedef {{sha256: string, size: number}} ManifestFile
 * @typedef {{
 *   boots: string[],
 *   runtime: {version: string, packages: string[]},
 *   wheel: string,
 *   saved: string,
 *   bits: string,
 *   workers: string[],
 *   files: Record<string, ManifestFile>,
 * }} Manifest
 */

import { digestsText, sha256Of, wrongFile } from "./digest.js";
import { fetchPatiently, FileTrouble } from "./patient-fetch.js";

const MANIFEST = "manifest.json";

export class SiteFiles {
    #site;
    #manifestDigest;
    /** @type {Promise<Manifest> | null} */
    #manifest = null;
    /** Scripts that are or are being checked. @type {Map<string, Promise<unknown>>} */
    #checked = new Map();

    /**
     * @param {string} site  Address of the folder of this build, with a slash at its end.
     * @param {string} manifestDigest  SHA-256 of its list of files.
     */
    constructor(site, manifestDigest) {
        this.#site = site;
        this.#manifestDigest = manifestDigest;
    }

    /** Address of the folder of this build, with a slash at its end. */
    get site() {
        return this.#site;
    }

    /** @returns {Promise<Manifest>} */
    manifest() {
        if (this.#manifest === null) {
            this.#manifest = this.#fetch(MANIFEST, (response) => this.#readManifest(response));
            // What failed is asked for again.
            this.#manifest.catch(() => (this.#manifest = null));
        }
        return this.#manifest;
    }

    /**
     * Check scripts that are imported next, by their addresses: nothing else can be imported under this policy.
     *
     * @param {string[]} paths
     */
    async check(paths) {
        await Promise.all(paths.map((path) => this.#checkOnce(path)));
    }

    /**
     * The text of a file, verified.
     *
     * @param {string} path
     */
    async text(path) {
        return new TextDecoder().decode(await this.#take(path));
    }

    /**
     * A script that is wanted only now, with none that it needs.
     *
     * @param {string} path
     */
    async importScript(path) {
        await this.check([path]);
        return import(this.#site + path);
    }

    /** @param {string} path */
    #checkOnce(path) {
        const asked = this.#checked.get(path) ?? this.#take(path);
        this.#checked.set(path, asked);
        asked.catch(() => this.#checked.delete(path));
        return asked;
    }

    /** @param {string} path */
    async #take(path) {
        const expected = (await this.manifest()).files[path];
        if (expected === undefined) throw new Error(`${path} is not in the manifest of this build`);
        return this.#fetch(path, async (response) => {
            const bytes = new Uint8Array(await response.arrayBuffer());
            const sha256 = await sha256Of(bytes);
            if (sha256 !== expected.sha256) throw wrongFile(path, digestsText(sha256, expected.sha256));
            return bytes;
        });
    }

    /**
     * @param {Response} response
     * @returns {Promise<Manifest>}
     */
    async #readManifest(response) {
        const bytes = new Uint8Array(await response.arrayBuffer());
        const sha256 = await sha256Of(bytes);
        if (sha256 === this.#manifestDigest) return JSON.parse(new TextDecoder().decode(bytes));
        // Some hosts answer with a page of their own where a file is missing.
        const type = response.headers.get("content-type") ?? "no type";
        const digests = digestsText(sha256, this.#manifestDigest);
        throw new FileTrouble(`${MANIFEST} is not the list of files that this page was built with: the server answered with ${type} (${digests}). Reload the page; if it stays, the site's copy is incomplete`, true);
    }

    /**
     * @template T
     * @param {string} path
     * @param {(response: Response) => Promise<T>} read
     */
    #fetch(path, read) {
        return fetchPatiently(this.#site + path, path, read, () => undefined);
    }
}
