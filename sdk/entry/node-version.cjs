// Loaded before anything else of the package: says in one sentence that this Node is too old, before a dependency fails
// less clearly. In words that Node 12 understands.

// biome-ignore lint/style/useNodejsImportProtocol: an old Node does not know `node:`
const fs = require("fs");
// biome-ignore lint/style/useNodejsImportProtocol: an old Node does not know `node:`
const path = require("path");

const NEEDED = [22, 19];
const found = process.versions.node.split(".").map(Number);
const inRepository = fs.existsSync(path.join(__dirname, "..", "..", "tsconfig.build.json"));

/** What to tell who runs an older Node; undefined where it is new enough. @param {string} name who needs a newer one */
function tooOld(name) {
  if (found[0] > NEEDED[0] || (found[0] === NEEDED[0] && found[1] >= NEEDED[1])) return undefined;
  const sentence = `${name} needs Node ${NEEDED.join(".")} or newer and this is Node ${process.versions.node}`;
  return inRepository
    ? `${sentence}; in this repository \`npm ci\` with install scripts allowed brings Node 24.`
    : `${sentence}; install a newer Node and run again.`;
}

/** Throws that sentence and nothing around it: Pulumi shows no stack of an error with the mark of its RunError. */
function requireNode() {
  const sentence = tooOld("orgseat");
  if (sentence === undefined) return;
  const error = new Error(sentence);
  error.stack = `Error: ${sentence}`;
  Object.defineProperty(error, "__pulumiRunError", { value: true });
  throw error;
}

module.exports = { tooOld, requireNode };

// `npm test` asks so, since the test runner would start on an older Node and fail everywhere.
if (require.main === module) {
  const sentence = tooOld("npm test");
  if (sentence !== undefined) process.stderr.write(`${sentence}\n`);
  process.exitCode = sentence === undefined ? 0 : 1;
}
