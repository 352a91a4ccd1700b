/** The interrupt buffer as Python's glue reads it. */

/**
 * The glue reads the signal and then writes a zero over it. One that the page writes between the two would be lost, and
 * a tight loop would not be stopped. Here the zero replaces only what was read.
 *
 * @param {Uint8Array} buffer  Shared with the page.
 * @returns {{0: number}}
 */
export function withoutLoss(buffer) {
    let read = 0;
    return {
        get 0() {
            read = Atomics.load(buffer, 0);
            return read;
        },
        set 0(value) {
            Atomics.compareExchange(buffer, 0, read, value);
        },
    };
}
