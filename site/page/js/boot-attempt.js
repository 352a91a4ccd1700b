/** One way to start Python, tried: what was heard of it, whether it still answers, and what can be tried after it. */

/**
 * @typedef {import("./protocol.js").BootName} BootName
 * @typedef {import("./protocol.js").Notice} Notice
 */

/** @type {BootName[]} */
const FASTEST_FIRST = ["snapshot", "bytecode", "stock"];

/** A boot that says nothing for so long is given up, when there is another one. */
const SILENCE_MS = 20_000;

/** @type {Record<BootName, string>} */
const NAMES = { snapshot: "the memory snapshot", bytecode: "the compiled packages", stock: "the packages as published" };

/**
 * What the page's address asks for: `?boot=stock` forces one way, otherwise all are tried.
 *
 * @param {string} query
 * @returns {BootName[]}
 */
export function bootsToTry(query) {
    const asked = new URLSearchParams(query).get("boot");
    const forced = FASTEST_FIRST.filter((boot) => boot === asked);
    if (asked !== null && forced.length === 0) console.warn(`?boot=${asked} is not known; known are ${FASTEST_FIRST.join(", ")}.`);
    return forced.length > 0 ? forced : FASTEST_FIRST;
}

/**
 * The first of these that a build has.
 *
 * @param {BootName[]} boots
 * @param {import("./site-files.js").Manifest} manifest
 */
export function firstBoot(boots, manifest) {
    const first = boots.find((boot) => manifest.boots.includes(boot));
    if (first === undefined) throw new Error(`this site was built without the boot ${boots.join(", ")}; it has ${manifest.boots.join(", ")}`);
    return first;
}

export class BootAttempt {
    /** @type {BootName | null} */
    #boot = null;
    #lastHeard = performance.now();
    #boots;
    #excuse;
    #onNotice;

    /**
     * @param {BootName[]} boots
     * @param {string} excuse  Why an earlier attempt was given up; told with all that follows.
     * @param {(notice: Notice) => void} onNotice
     */
    constructor(boots, excuse, onNotice) {
        this.#boots = boots;
        this.#excuse = excuse;
        this.#onNotice = onNotice;
    }

    /** The boots after the one that was tried. */
    get left() {
        return this.#boots.slice(this.#boot === null ? this.#boots.length : this.#boots.indexOf(this.#boot) + 1);
    }

    /** @param {BootName} boot */
    begin(boot) {
        this.#boot = boot;
        this.#lastHeard = performance.now();
    }

    /** @param {Notice} notice */
    hear = (notice) => {
        this.#lastHeard = performance.now();
        if (notice.type === "progress" && this.#excuse !== "") this.#onNotice({ ...notice, text: `${this.#excuse} ${notice.text}` });
        else this.#onNotice(notice);
    };

    /**
     * The answer, or an error when nothing has been heard for too long and there is something else to try.
     *
     * @template T
     * @param {Promise<T>} answer
     * @returns {Promise<T>}
     */
    async within(answer) {
        const { promise, reject } = Promise.withResolvers();
        const watch = setInterval(() => {
            const silent = performance.now() - this.#lastHeard > SILENCE_MS;
            if (silent && this.left.length > 0) reject(new Error(`nothing was heard of it for ${SILENCE_MS / 1000} s`));
        }, SILENCE_MS / 20);
        try {
            return await Promise.race([answer, /** @type {Promise<never>} */ (promise)]);
        } finally {
            clearInterval(watch);
        }
    }

    /** @param {unknown} error */
    excuse(error) {
        const [next] = this.left;
        if (this.#boot === null || next === undefined) return "";
        const reason = error instanceof Error ? error.message : String(error);
        return `Python could not be started from ${NAMES[this.#boot]}: ${reason.replace(/\.$/, "")}. Now from ${NAMES[next]}.`;
    }
}
