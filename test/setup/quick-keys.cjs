// Loaded before everything else in the engines of test stacks. To derive the key of a passphrase takes a quarter of a second
// of a core, as it should, and each of hundreds of commands derives one of the few keys that tests have. So they are kept in a
// folder; they protect nothing.
const crypto = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const { join } = require("node:path");

const folder = join(__dirname, "..", "..", "node_modules", ".cache", "orgseat-test-keys");
const derive = crypto.pbkdf2;

function kept(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

crypto.pbkdf2 = (passphrase, salt, rounds, length, digest, done) => {
  const of = [String(passphrase), Buffer.from(salt).toString("hex"), rounds, length, digest];
  const file = join(folder, crypto.createHash("sha256").update(JSON.stringify(of)).digest("hex"));
  const known = kept(file);
  if (known?.length === length) return setImmediate(() => done(null, known));
  derive(passphrase, salt, rounds, length, digest, (error, key) => {
    if (key) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.${process.pid}`, key, { mode: 0o600 });
      renameSync(`${file}.${process.pid}`, file);
    }
    done(error, key);
  });
};
syncBuiltinESMExports();
