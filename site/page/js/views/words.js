/** How the page writes amounts. */

/** @param {number} bytes */
export function megabytes(bytes) {
    return (bytes / 1e6).toFixed(1);
}

/** @param {number} bytes */
export function size(bytes) {
    if (bytes < 1000) return `${bytes} B`;
    return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${megabytes(bytes)} MB`;
}

/** @param {number} ms */
export function seconds(ms) {
    if (ms < 99.5) return `${Math.round(ms)} ms`;
    return ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/**
 * "cell 2", "cells 2 and 3".
 *
 * @param {number[]} numbers
 */
export function cellNames(numbers) {
    const last = numbers.at(-1);
    return numbers.length < 2 ? `cell ${last}` : `cells ${numbers.slice(0, -1).join(", ")} and ${last}`;
}

/** @param {number} count */
export function amount(count) {
    return count.toLocaleString("en");
}
