/** The keyboard map: a dialog that its button opens. */

import { find } from "./dom.js";

export function attachKeyboardMap() {
    const dialog = find(document, "[data-keyboard-map]", HTMLDialogElement);
    find(document, "[data-opens='keyboard-map']", HTMLButtonElement).addEventListener("click", () => dialog.showModal());
    find(dialog, "[data-closes]", HTMLButtonElement).addEventListener("click", () => dialog.close());
    // A click beside it closes it too: outside of its content only the dialog itself is hit.
    dialog.addEventListener("click", (event) => {
        if (event.target === dialog) dialog.close();
    });
}
