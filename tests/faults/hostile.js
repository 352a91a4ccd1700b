async ({ source, samples, each, seed }) => {
    const [protocol, link, kept, items, safe, figure, error, files, output, tokens, bundle] = await Promise.all(
        ["protocol", "edits-link", "kept-edits", "output-items", "views/safe-html", "views/figure", "views/error", "views/files", "views/output", "python-tokens", "bundle"]
            .map((name) => import(`${source}${name}.js`)),
    );
    let state = seed;
    const random = () => {
        state = (state + 0x6d2b79f5) | 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
    const below = (limit) => Math.floor(random() * limit);
    const pick = (list) => list[below(list.length)];
    const HOSTILE = [
        "<img src=x onerror=\"window.hostile=1\">", "<script>window.hostile=1</script>", "<svg onload=window.hostile=1>", "<iframe srcdoc='<script>parent.hostile=1</script>'>",
        "<a href=\"javascript:window.hostile=1\">", "<constructor>", "<table><tr><td onclick=x colspan=9>", "<b>", "</p>", "<style>*{}</style>", "<math><mtext><style><img src=x onerror=window.hostile=1>",
        "__proto__", "constructor", "toString", "hasOwnProperty", "javascript:window.hostile=1", "\ud800", "\udfff", "\0", "\u202e", "\u2066", "\ufeff", "'", "\"", "`", "{", "}", "[", "f'{", "\"\"\"", "\\", "\n", "\r", "\t",
        "1e999", "9".repeat(400), "-0", "NaN", "../../etc", "=1+1", "&lt;", "]]>", "<!--", "%00", "data:text/html,<script>",
    ];
    const text = () => Array.from({ length: below(5) }, () => (random() < 0.7 ? pick(HOSTILE) : String.fromCharCode(below(65536)))).join("");
    const deep = (depth) => { let value = []; for (let at = 0; at < depth; at += 1) value = random() < 0.5 ? [value] : { a: value }; return value; };
    const value = (depth = 0) => {
        const kind = below(depth > 3 ? 6 : 9);
        if (kind < 2) return text();
        if (kind === 2) return pick([0, -0, 1e308, -1, 2 ** 53, 0.5]);
        if (kind === 3) return pick([true, false]);
        if (kind === 4) return null;
        if (kind === 5) return random() < 0.02 ? deep(3000) : "";
        if (kind === 6) return Array.from({ length: below(4) }, () => value(depth + 1));
        return JSON.parse(`{${Array.from({ length: below(4) }, () => `${JSON.stringify(text())}:${JSON.stringify(value(depth + 1))}`).join(",")}}`);
    };
    const changed = (given) => {
        if (typeof given !== "object" || given === null || random() < 0.15) return value();
        const keys = Object.keys(given);
        if (keys.length === 0 || random() < 0.1) return { ...given, [text()]: value() };
        const key = pick(keys);
        const copy = Array.isArray(given) ? [...given] : { ...given };
        if (random() < 0.15) delete copy[key];
        else copy[key] = changed(copy[key]);
        return copy;
    };
    const scrambled = (letters) => {
        const at = below(letters.length + 1);
        return random() < 0.1 ? letters : letters.slice(0, at) + text() + letters.slice(at + below(4));
    };
    const strange = () => pick([undefined, 10n, Symbol("x"), NaN, () => 1, { protocol: 1, big: 10n }, (() => { const round = { protocol: 1 }; round.round = round; return round; })(), deep(50_000)]);

    // Nothing but what our views make, and nothing that could run.
    const TAGS = new Set(["div", "p", "pre", "code", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "figure", "figcaption", "img", "span", "a", "button", "li", "ul", "ol", "br", "hr", "dl", "dt", "dd", "blockquote", "b", "strong", "i", "em", "sub", "sup", "small"]);
    const ATTRIBUTES = new Set(["class", "tabindex", "role", "aria-label", "scope", "colspan", "rowspan", "src", "alt", "width", "height", "href", "download", "type", "data-save", "data-name", "data-enlarge", "aria-pressed", "data-equal", "data-outcome"]);
    const clean = (root) => {
        for (const element of [root, ...root.querySelectorAll("*")]) {
            if (!TAGS.has(element.localName)) throw new Error(`markup: element ${element.localName}`);
            for (const { name, value: given } of element.attributes) {
                if (!ATTRIBUTES.has(name)) throw new Error(`markup: attribute ${name}`);
                if ((name === "src" || name === "href") && !given.startsWith("blob:")) throw new Error(`markup: ${name}=${given}`);
            }
        }
        figure.releaseFigures(root);
    };
    const flat = (element) => { if (element.querySelector("img, script, svg, iframe, a, b, table") !== null) throw new Error("markup from text"); };

    const display = () => {
        const type = pick(["text/plain", "text/html", "image/png", "image/svg+xml", "application/vnd.replay-lab.table+json", text()]);
        const table = { caption: "c", columns: [{ key: "a", title: "A", numeric: true }, { key: "b", title: "B", numeric: false, kind: "mark" }], rows: [{ a: "1", b: "= x" }] };
        const data = { [type]: type.endsWith("json") ? (random() < 0.7 ? changed(table) : table) : random() < 0.7 ? text() : value() };
        return { type: "display", data, metadata: random() < 0.5 ? { replay_lab: { name: text(), alt: text(), caption: text() } } : changed({ replay_lab: { name: "n", alt: "a", caption: "c" } }) };
    };
    const asObject = (given) => (protocol.isJsonObject(given) ? given : {});
    const named = (good) => (caught) => good.test(`${caught.constructor.name}: ${caught.message}`);
    const tried = {
        "messages between page and worker": [named(/^TypeError: .*(request|answer)/s), () => {
            const message = random() < 0.01 ? strange() : changed(pick(samples));
            for (const parse of [protocol.parseRequest, protocol.parseAnswer]) attempt(() => parse(message), named(/^TypeError: (request|answer|unknown type of (request|answer))/));
        }],
        "links with edits": [named(/^never$/), async () => {
            const fragment = await link.fragmentOf(new Map([[text(), { published: text(), source: text() }]]));
            const got = await link.editsIn(random() < 0.3 ? fragment : scrambled(fragment));
            if (got !== null && !(got instanceof Map && [...got.values()].every((edit) => typeof edit.source === "string"))) throw new Error(`a value of no form: ${got}`);
        }],
        "edits in the browser's storage": [named(/^never$/), () => {
            const valid = { format: "replay-lab-edits", version: 1, cells: { constants: { published: text(), source: text(), savedAt: text() } } };
            const found = random() < 0.5 ? JSON.stringify(changed(valid)) : scrambled(JSON.stringify(valid));
            const texts = new Map([["key", found]]);
            const shelf = { getItem: (key) => texts.get(key) ?? null, setItem: (key, given) => texts.set(key, given), removeItem: (key) => texts.delete(key) };
            const keeper = new kept.KeptEdits(() => shelf, "key");
            const before = keeper.read();
            keeper.write(new Map([["mine", { published: "", source: "s", savedAt: "" }]]));
            const after = keeper.read();
            for (const [id, edit] of [...before, ["mine", { source: "s" }]]) if (id !== "mine" && after.get(id)?.source !== edit.source) throw new Error(`the edit of ${id} is lost`);
            if (after.get("mine")?.source !== "s") throw new Error(`my edit is lost: ${keeper.trouble}, ${found.length} characters`);
            if (keeper.unreadable.length > 0 && texts.get("key") !== found) throw new Error("what could not be read is lost");
        }],
        "outputs of cells": [named(/^never$/), () => {
            let shown = [];
            for (let at = 0; at < 2; at += 1) {
                const notice = random() < 0.5 ? { type: "stream", name: text(), text: text() } : { ...display() };
                notice.data = asObject(notice.data);
                notice.metadata = asObject(notice.metadata);
                shown = items.withNotice(shown, notice);
            }
            const block = document.createElement("div");
            const failure = { type: text(), message: text(), traceback: text(), cell: pick([null, text()]), line: pick([null, 1, 99, -1]), hint: text() };
            output.renderOwnOutput(block, { run: 1, items: shown, outcome: "failed", elapsedMs: 1, error: failure, agreement: null, made: [{ source: text() }], after: [] }, false);
            items.withWholeText(shown, text(), text());
            clean(block);
        }],
        "HTML values": [named(/^never$/), () => {
            const made = safe.makeSafeHtml(Array.from({ length: 1 + below(6) }, text).join(""));
            if (made !== null) { document.body.append(made); clean(made); made.remove(); }
        }],
        "errors and names of files": [named(/^never$/), () => {
            const made = error.makeError({ type: text(), message: text(), traceback: text(), cell: text(), line: 1, hint: text() }, text());
            const section = document.createElement("div");
            const list = document.createElement("ul");
            list.dataset.filesList = "";
            section.append(list);
            files.renderFiles(section, [{ name: text(), sizeBytes: below(1e9) }, { name: text(), sizeBytes: 0 }]);
            list.removeAttribute("data-files-list");
            section.hidden = false;
            document.body.append(made, section);
            for (const root of [made, section]) { clean(root); flat(root); root.remove(); }
        }],
        "Python as tokens": [named(/^never$/), () => {
            const program = Array.from({ length: 1 + below(8) }, () => pick([text(), "def f(x):\n    return x\n", "f'{a!r:>{w}}'", "x = 1  # c\n"])).join("");
            if (typeof tokens.normalized(program) !== "string" || !Array.isArray(tokens.namesIn(program))) throw new Error("a value of no form");
            if (!tokens.isSameProgram(program, program)) throw new Error("not the same as itself");
        }],
        "bundles": [named(/^BundleError: /), () => {
            const table = new TextEncoder().encode(JSON.stringify(random() < 0.5 ? changed([["a/b", 3, "00"]]) : [["a/b", pick([3, -1, 2 ** 40, 0.5]), "00"]]));
            const bytes = new Uint8Array(12 + table.length + 16 + below(32));
            bytes.set(new TextEncoder().encode("RLBUNDL1"));
            new DataView(bytes.buffer).setUint32(8, random() < 0.8 ? table.length : below(2 ** 32), true);
            bytes.set(table, 12);
            if (random() < 0.3) bytes[below(bytes.length)] = below(256);
            bundle.readBundle(random() < 0.2 ? bytes.slice(0, below(bytes.length)) : bytes);
        }],
    };
    const wrong = [];
    let refused = 0;
    const attempt = (act, isNamed) => {
        try { act(); } catch (caught) {
            if (!isNamed(caught)) throw caught;
            refused += 1;
        }
    };
    const counts = {};
    for (const [border, [isNamed, act]] of Object.entries(tried)) {
        refused = 0;
        for (let at = 0; at < each; at += 1) {
            const before = state;
            try { await act(); } catch (caught) {
                if (isNamed(caught)) refused += 1;
                else if (wrong.length < 20) wrong.push(`${border}, state ${before}: ${caught?.stack ?? caught}`);
            }
        }
        counts[border] = refused;
    }
    await new Promise((done) => setTimeout(done));
    if (window.hostile !== undefined) wrong.push("hostile code ran");
    if ({}.polluted !== undefined || Object.keys(Object.prototype).length > 0) wrong.push("Object.prototype has changed");
    return { counts, wrong };
}
