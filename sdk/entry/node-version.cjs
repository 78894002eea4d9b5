// Loaded before the rest of the package: reports an old Node in one sentence, before a dependency fails with an unclear
// error. In syntax of Node 12.

// biome-ignore lint/style/useNodejsImportProtocol: an old Node does not know `node:`
const fs = require("fs");
// biome-ignore lint/style/useNodejsImportProtocol: an old Node does not know `node:`
const path = require("path");

const NEEDED = [22, 19];
const found = process.versions.node.split(".").map(Number);
const inRepository = fs.existsSync(path.join(__dirname, "..", "..", "tsconfig.build.json"));

/** The error for an old Node; undefined for a supported one. @param {string} name the command in the message */
function tooOld(name) {
  if (found[0] > NEEDED[0] || (found[0] === NEEDED[0] && found[1] >= NEEDED[1])) return undefined;
  const sentence = `${name} needs Node ${NEEDED.join(".")} or newer, but this is Node ${process.versions.node}`;
  return inRepository
    ? `${sentence}; in this repository \`npm ci\` with install scripts allowed brings Node 24.`
    : `${sentence}; install a newer Node, then run the command again.`;
}

/** Throws that error without a stack: Pulumi prints none for an error with the mark of its RunError. */
function requireNode() {
  const sentence = tooOld("orgseat");
  if (sentence === undefined) return;
  const error = new Error(sentence);
  error.stack = `Error: ${sentence}`;
  Object.defineProperty(error, "__pulumiRunError", { value: true });
  throw error;
}

module.exports = { tooOld, requireNode };

// For `npm test`: the test runner starts on an older Node and fails in every test.
if (require.main === module) {
  const sentence = tooOld("npm test");
  if (sentence !== undefined) process.stderr.write(`${sentence}\n`);
  process.exitCode = sentence === undefined ? 0 : 1;
}
