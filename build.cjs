// In a checkout the commands run what the sources say: this builds dist/ where a source is newer than the last build.
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const SOURCES = ["provider", "sdk", "sandbox", "tsconfig.json", "tsconfig.build.json", "package.json"];

/** @param {string} root the folder of the checkout */
function buildIfStale(root) {
  const stamp = path.join(root, "dist", ".built");
  const builtAt = fs.existsSync(stamp) ? fs.statSync(stamp).mtimeMs : 0;
  if (SOURCES.every((name) => newest(path.join(root, name)) < builtAt)) return;
  const startedAt = new Date();
  // Editors show the comments of the declarations; in the code they would only make the package larger.
  compile(root, "--emitDeclarationOnly");
  compile(
    root,
    "--noCheck",
    "--removeComments",
    "--declaration",
    "false",
    "--incremental",
    "false",
    ...NO_INFO,
  );
  fs.writeFileSync(stamp, "");
  fs.utimesSync(stamp, startedAt, startedAt);
}

const NO_INFO = ["--tsBuildInfoFile", "null"];

/** @param {string} root @param {string[]} options */
function compile(root, ...options) {
  execFileSync(path.join(root, "node_modules", ".bin", "tsc"), ["-p", "tsconfig.build.json", ...options], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/** @param {string} file a file or a folder @returns {number} when it, or anything in it, was changed last */
function newest(file) {
  const status = fs.statSync(file);
  if (!status.isDirectory()) return status.mtimeMs;
  return fs
    .readdirSync(file, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || /\.tsx?$/.test(entry.name))
    .reduce((latest, entry) => Math.max(latest, newest(path.join(file, entry.name))), 0);
}

module.exports = { buildIfStale };

if (require.main === module) {
  // A package must not hold what was built of sources that are gone.
  if (process.argv.includes("--clean"))
    fs.rmSync(path.join(__dirname, "dist"), { recursive: true, force: true });
  buildIfStale(__dirname);
}
