#!/usr/bin/env node
// The launcher of the sandbox. CommonJS in words that Node 12 understands, so that an old Node gets a sentence instead
// of a syntax error.

// biome-ignore lint/style/useNodejsImportProtocol: an old Node does not know `node:`
const fs = require("fs");
// biome-ignore lint/style/useNodejsImportProtocol: an old Node does not know `node:`
const path = require("path");
// biome-ignore lint/style/useNodejsImportProtocol: an old Node does not know `node:`
const { pathToFileURL } = require("url");

const NEEDED = [22, 19];
const found = process.versions.node.split(".").map(Number);
const root = path.join(__dirname, "..", "..");
const entry = path.join(root, "dist", "sandbox", "cli.js");

function stop(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

function tooOld() {
  const sentence = `orgseat-sandbox needs Node ${NEEDED.join(".")} or newer and this is Node ${process.versions.node}`;
  const inRepository = fs.existsSync(path.join(root, "tsconfig.build.json"));
  return inRepository
    ? `${sentence}; in this repository \`npm ci\` with install scripts allowed brings Node 24.`
    : `${sentence}.`;
}

if (found[0] < NEEDED[0] || (found[0] === NEEDED[0] && found[1] < NEEDED[1])) {
  stop(tooOld());
} else {
  if (fs.existsSync(path.join(root, "tsconfig.build.json"))) require("./build.js").buildIfStale(root);
  if (fs.existsSync(entry)) run();
  else stop("orgseat-sandbox is not built: run `npm run build`.");
}

function run() {
  import(pathToFileURL(entry).href)
    .then((cli) => cli.main(process.argv))
    .catch((error) => stop(`orgseat-sandbox: ${error instanceof Error ? error.message : String(error)}`));
}
