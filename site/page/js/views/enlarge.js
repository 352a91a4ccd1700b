/** Figures in the width of their text or of the whole column, by a button or by a click on the picture. */

/** Serves all figures, those of runs to come too. */
export function attachEnlarging() {
    document.addEventListener("click", (event) => {
        if (!(event.target instanceof Element)) return;
        const figure = event.target.closest("figure.plot");
        const button = figure?.querySelector("[data-enlarge]");
        if (figure === null || figure === undefined || button === null || button === undefined) return;
        if (event.target !== button && !event.target.matches("img")) return;
        const wide = figure.toggleAttribute("data-wide");
        button.setAttribute("aria-pressed", String(wide));
    });
}
