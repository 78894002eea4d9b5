// In a checkout the commands run what the sources say: this builds dist/ where a source is newer than the last build.
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const SOURCES = [
  ...["provider", "sdk", "command", "sandbox"],
  ...["tsconfig.json", "tsconfig.build.json", "package.json", "build.cjs"],
];

const FOLDERS = SOURCES.filter((name) => !name.includes("."));

/** @param {string} root the folder of the checkout */
const stampOf = (root) => path.join(root, "dist", ".built");

/** @param {string} root the folder of the checkout */
function buildIfStale(root) {
  if (!isStale(root)) return;
  const stamp = stampOf(root);
  const startedAt = new Date();
  const code = ["--noCheck", "--removeComments", "--declaration", "false", "--incremental", "false"];
  compile(root, "--emitDeclarationOnly", "--declarationDir", TYPES);
  compile(root, ...code, "--tsBuildInfoFile", "null");
  removeOrphans(root);
  bundleTypes(root);
  for (const folder of ["provider", "sdk", "command"]) minify(path.join(root, "dist", folder));
  const age = path.join("dist", "provider", "util", "age.js");
  bundle(root, age, age);
  writePulumiHosts(root);
  // What is bundled is not installed with its license.
  fs.writeFileSync(path.join(root, "dist", "THIRD-PARTY-LICENSES"), licensesOf(root, BUNDLED));
  writePlugin(root);
  fs.writeFileSync(stamp, "");
  fs.utimesSync(stamp, startedAt, startedAt);
}

/** @param {string} root */
function isStale(root) {
  const stamp = stampOf(root);
  const builtAt = fs.existsSync(stamp) ? fs.statSync(stamp).mtimeMs : 0;
  return SOURCES.some((name) => newest(path.join(root, name)) >= builtAt);
}

/** Removes the modules whose source is gone. The others stay, because a process may load them meanwhile. @param {string} root */
function removeOrphans(root) {
  for (const folder of FOLDERS) {
    const built = path.join(root, "dist", folder);
    if (!fs.existsSync(built)) continue;
    for (const name of fs.readdirSync(built, { recursive: true }).map(String)) {
      const source = path.join(root, folder, name.replace(/\.js$/, ".ts"));
      if (name.endsWith(".js") && !fs.existsSync(source)) fs.rmSync(path.join(built, name), { force: true });
    }
  }
}

/** All declarations, with the comments that editors show. */
const TYPES = path.join(".orgseat", "types");

/** @param {string} root @param {string[]} options */
function compile(root, ...options) {
  execFileSync(path.join(root, "node_modules", ".bin", "tsc"), ["-p", "tsconfig.build.json", ...options], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/**
 * Of the declarations, those that the entries of the package need, in a few files. They are those of CommonJS, because every
 * module can import them; those of the ESM entries repeat their names.
 * @param {string} root
 */
function bundleTypes(root) {
  const { exports } = require(path.join(root, "package.json"));
  const entries = Object.values(exports).flatMap(({ types }) =>
    types ? [path.relative("dist", types)] : [],
  );
  const inputs = entries.flatMap((file) => ["-i", `${file.replace(".d.ts", "")}=${path.join(TYPES, file)}`]);
  for (const file of declarationsIn(root)) fs.rmSync(file);
  execFileSync(
    path.join(root, "node_modules", ".bin", "rollup"),
    ["-p", "dts", ...inputs, "-d", "dist", "-f", "es", "--silent"],
    { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
  );
  for (const file of declarationsIn(root)) {
    const indented = fs.readFileSync(file, "utf8");
    const text = indented
      .replace(/^( {4})+/gm, (spaces) => " ".repeat(spaces.length / 4))
      .replace(/(from '\.{1,2}\/.*)\.js'/g, "$1.cjs'");
    fs.rmSync(file);
    fs.writeFileSync(file.replace(/\.ts$/, ".cts"), text);
  }
  for (const entry of entries)
    fs.writeFileSync(
      path.join(root, "dist", entry),
      `export * from "./${path.basename(entry, ".d.ts")}.cjs";\n`,
    );
}

/** @param {string} root */
function declarationsIn(root) {
  const files = fs.readdirSync(path.join(root, "dist"), { recursive: true }).map(String);
  return files.filter((name) => /\.d\.c?ts$/.test(name)).map((name) => path.join(root, "dist", name));
}

/**
 * Shortens each module: they are half of the package. Functions and classes keep their names, which errors show.
 * @param {string} folder
 */
function minify(folder) {
  const { minifySync } = require("rolldown/utils");
  const compress = { keepNames: { function: false, class: true } };
  const mangle = { keepNames: { function: true, class: true } };
  for (const name of fs.readdirSync(folder, { recursive: true }).map(String)) {
    if (!name.endsWith(".js")) continue;
    const file = path.join(folder, name);
    const source = fs.readFileSync(file, "utf8");
    const { code, errors } = minifySync(file, source, { module: true, compress, mangle });
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    // What has only types is loaded by no other module.
    if (code === "export{};") fs.rmSync(file);
    else fs.writeFileSync(file, code);
  }
}

/**
 * A module with its libraries in one file: they are many files, and seldom used.
 * @param {string} root @param {string} module @param {string} file
 */
function bundle(root, module, file) {
  const rolldown = path.join(root, "node_modules", ".bin", "rolldown");
  const options = ["--format", "esm", "--platform", "node", "--minify", "--log-level", "warn"];
  execFileSync(rolldown, [module, "--file", file, ...options], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** What a Pulumi CLI that was built from source needs beside it to run programs of Node. @param {string} root */
function writePulumiHosts(root) {
  const built = path.join("dist", "sandbox", "pulumi");
  const folder = path.join(root, built, "hosts");
  fs.mkdirSync(folder, { recursive: true });
  bundle(root, path.join(built, "host.js"), path.join(built, "hosts", "host.mjs"));
  const sdk = path.join(folderOf("@pulumi/pulumi", root), "pulumi-resource-pulumi-nodejs");
  for (const script of [sdk, path.join(root, "sandbox", "pulumi", "pulumi-language-nodejs")])
    fs.copyFileSync(script, path.join(folder, path.basename(script)));
}

/** The packages that are in files of dist/, with all that they need. */
const BUNDLED = ["age-encryption"];

/** The licenses of packages and of all that they need. @param {string} root @param {readonly string[]} names */
function licensesOf(root, names) {
  const folders = new Set();
  const add = (name, from) => {
    const folder = folderOf(name, from);
    if (folders.has(folder)) return;
    folders.add(folder);
    const { dependencies = {} } = require(path.join(folder, "package.json"));
    for (const needed of Object.keys(dependencies)) add(needed, folder);
  };
  for (const name of names) add(name, root);
  return [...folders].sort().map(licenseIn).join("\n\n----\n\n");
}

/** Where Node finds a package from a folder. @param {string} name @param {string} from @returns {string} */
function folderOf(name, from) {
  const folder = path.join(from, "node_modules", name);
  if (fs.existsSync(folder)) return folder;
  if (path.dirname(from) === from) throw new Error(`the package ${name} is not installed`);
  return folderOf(name, path.dirname(from));
}

/** @param {string} folder of a package @throws where it has no license, because it must not be shipped then */
function licenseIn(folder) {
  const { name, version, license } = require(path.join(folder, "package.json"));
  const file = fs.readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
  if (file === undefined && license === undefined) throw new Error(`${name} has no license`);
  const text =
    file === undefined
      ? `${license}, without a text of its own`
      : fs.readFileSync(path.join(folder, file), "utf8");
  return `${name} ${version}\n\n${text}`;
}

/** The folder of the packaged plugin: `pulumi package add ./node_modules/orgseat/plugin`. @param {string} root */
function writePlugin(root) {
  const { version } = require(path.join(root, "package.json"));
  const folder = path.join(root, "plugin");
  const about = { name: "pulumi-resource-orgseat", version, private: true, type: "commonjs" };
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(about));
  fs.writeFileSync(path.join(folder, "PulumiPlugin.yaml"), "runtime: nodejs\n");
  fs.writeFileSync(path.join(folder, "index.js"), 'require("../sdk/bin/pulumi-resource-orgseat.js");\n');
  fs.writeFileSync(
    path.join(folder, "pulumi-resource-orgseat"),
    '#!/usr/bin/env node\nrequire("./index.js");\n',
    { mode: 0o755 },
  );
  const schema = fs.readFileSync(path.join(root, "provider", "plugin", "schema.json"), "utf8");
  // The Registry shows the examples, from the repository; they would double what is installed.
  const shipped = JSON.parse(schema, (key, value) =>
    key === "description" && typeof value === "string"
      ? value.replace(/\n\n\{\{% examples %\}\}[\s\S]*/, "")
      : value,
  );
  fs.writeFileSync(path.join(folder, "schema.json"), JSON.stringify(shipped));
}

/** @param {string} file a file or a folder, which a deletion in it changes @returns {number} when it, or anything in it, was changed last */
function newest(file) {
  const status = fs.statSync(file);
  if (!status.isDirectory()) return status.mtimeMs;
  return fs
    .readdirSync(file, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || /\.(tsx?|json)$/.test(entry.name))
    .reduce((latest, entry) => Math.max(latest, newest(path.join(file, entry.name))), status.mtimeMs);
}

module.exports = { buildIfStale, isStale, removeOrphans, licensesOf, BUNDLED };

if (require.main === module) {
  // A package must not hold what tools left in the folders of the build, such as Pulumi in that of the plugin.
  if (process.argv.includes("--clean"))
    for (const name of ["dist", "plugin"])
      fs.rmSync(path.join(__dirname, name), { recursive: true, force: true });
  buildIfStale(__dirname);
}
