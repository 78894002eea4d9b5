// Writes the release archives of the packaged plugin, by the names that `pulumi plugin install` asks a release or a mirror
// for. They contain the server with all its libraries, so nothing else is installed: it needs only Node, on every machine
// the same, so all archives are equal.
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const tar = require("tar");

const root = path.join(__dirname, "..");
const { buildIfStale, licensesOf, BUNDLED } = require(path.join(root, "build.cjs"));

const launcher = `#!/usr/bin/env node
const sentence = require("./node-version.cjs").tooOld("pulumi-resource-orgseat");
const stop = (text) => {
  process.stderr.write(\`\${text}\\n\`);
  process.exitCode = 1;
};
if (sentence !== undefined) stop(sentence);
else
  import("./server/main.js")
    .then(({ main }) => main(process.argv, __dirname))
    .catch((error) => stop(\`pulumi-resource-orgseat: \${error.message}\`));
`;

const PROCESSORS = ["amd64", "arm64"];

/** @param {string} target the folder of the archives @returns {string[]} their paths */
function writeArchives(target) {
  buildIfStale(root);
  const { version, os: systems } = require(path.join(root, "package.json"));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "orgseat-plugin-"));
  for (const file of ["plugin/package.json", "plugin/schema.json", "sdk/entry/node-version.cjs", "LICENSE"])
    fs.copyFileSync(path.join(root, file), path.join(folder, path.basename(file)));
  fs.writeFileSync(path.join(folder, "pulumi-resource-orgseat"), launcher, { mode: 0o755 });
  fs.writeFileSync(path.join(folder, "THIRD-PARTY-LICENSES"), licenses());
  bundleInto(path.join(folder, "server"));
  const [archive, ...others] = systems.flatMap((system) =>
    PROCESSORS.map((processor) =>
      path.resolve(target, `pulumi-resource-orgseat-v${version}-${system}-${processor}.tar.gz`),
    ),
  );
  pack(folder, archive);
  for (const other of others) fs.copyFileSync(archive, other);
  fs.rmSync(folder, { recursive: true });
  return [archive, ...others];
}

/** The time that npm gives each packed file, in seconds. */
const NPMS_TIME = 499162500;

/** The same files make the same bytes, on every machine with this Node. @param {string} folder @param {string} archive */
function pack(folder, archive) {
  const mtime = new Date(Number(process.env.SOURCE_DATE_EPOCH ?? NPMS_TIME) * 1000);
  const options = {
    cwd: folder,
    file: archive,
    gzip: { level: 9 },
    portable: true,
    noDirRecurse: true,
    mtime,
  };
  tar.create({ ...options, sync: true }, fs.readdirSync(folder, { recursive: true }).map(String).sort());
}

/** @param {string} folder */
function bundleInto(folder) {
  const rolldown = path.join(root, "node_modules", ".bin", "rolldown");
  const entry = path.join("dist", "provider", "plugin", "main.js");
  const options = ["--format", "esm", "--platform", "node", "--minify", "--log-level", "warn"];
  execFileSync(rolldown, [entry, "--dir", folder, ...options], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  fs.writeFileSync(path.join(folder, "package.json"), '{"type":"module"}');
}

/** The licenses of all packages that the server can contain: those of an installation, and those in files of dist/. */
function licenses() {
  const { dependencies } = require(path.join(root, "package.json"));
  return licensesOf(root, [...Object.keys(dependencies), ...BUNDLED]);
}

process.stdout.write(`${writeArchives(process.argv[2] ?? ".").join("\n")}\n`);
