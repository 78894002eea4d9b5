// Engines kill their providers, which then write no coverage: this writes it after each method, without what ran at the start.
const fs = require("node:fs");
const path = require("node:path");
const v8 = require("node:v8");

if (/dynamic-provider/.test(process.argv[1] ?? "")) {
  const folder = process.env.NODE_V8_COVERAGE;
  const providers = Object.values(require("orgseat/provider"));
  v8.takeCoverage();
  for (const name of fs.readdirSync(folder).filter((name) => name.startsWith(`coverage-${process.pid}-`)))
    fs.rmSync(path.join(folder, name));
  for (const provider of providers) {
    for (const name of ["configure", "check", "diff", "create", "read", "update", "delete"]) {
      const method = provider[name].bind(provider);
      provider[name] = (...args) => Promise.resolve(method(...args)).finally(() => v8.takeCoverage());
    }
  }
}
