/** An error ends the process with its own words: by default Node prints the whole line it arose in, of a file of one line. */

const LONGEST = 3000;

process.on("uncaughtException", (error) => {
    process.stderr.write(`${String(error?.stack ?? error).slice(-LONGEST)}\n`);
    process.exit(1);
});
