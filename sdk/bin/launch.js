// The launcher that the commands `orgseat` and `orgseat-sandbox` share. CommonJS in the syntax of Node 12, so that an
// old Node reports one sentence instead of a syntax error.

// biome-ignore lint/style/useNodejsImportProtocol: an old Node does not know `node:`
const fs = require("fs");
// biome-ignore lint/style/useNodejsImportProtocol: an old Node does not know `node:`
const path = require("path");
// biome-ignore lint/style/useNodejsImportProtocol: an old Node does not know `node:`
const { pathToFileURL } = require("url");

const { tooOld } = require("../entry/node-version.cjs");

const root = path.join(__dirname, "..", "..");
// Only a checkout has it.
const builder = path.join(root, "build.cjs");

/**
 * Runs `main(argv)` of a built file.
 * @param {string} name the command's, for messages
 * @param {string} file below dist/
 */
function launch(name, file) {
  const sentence = tooOld(name);
  if (sentence !== undefined) return stop(sentence);
  if (fs.existsSync(builder)) {
    if (!fs.existsSync(path.join(root, "node_modules")))
      return stop(`${name} is not installed: run \`npm ci\`.`);
    require(builder).buildIfStale(root);
  }
  const entry = path.join(root, "dist", file);
  if (!fs.existsSync(entry)) return stop(`${name} is not built: run \`npm run build\`.`);
  ignoreClosedPipes();
  import(pathToFileURL(entry).href)
    .then((command) => {
      if (command.endWith) process.on("uncaughtException", command.endWith);
      return command.main(process.argv);
    })
    .catch((error) => stop(`${name}: ${plain(error instanceof Error ? error.message : String(error))}`));
}

/** `orgseat ... | head` closes the pipe early, and a terminal can close. That is no error, and a run goes on to its end. */
function ignoreClosedPipes() {
  [process.stdout, process.stderr].forEach((stream) => {
    stream.on("error", (error) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
    });
  });
}

/** An error without the code that prints errors, such as a package that is not installed: it can name a folder. */
function plain(text) {
  return text.replace(
    /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
}

function stop(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

module.exports = { launch };
