/** Text from outside that may be no JSON. */

/**
 * @param {string} text
 * @returns {unknown}  Undefined where it is none.
 */
export function parseJson(text) {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}
