// Loaded before everything else in the processes of test stacks. Pulumi's library loads at each start what packs closures,
// a compiler and a package manager among it: half of the time that a process takes to start. No resource of orgseat is
// packed (docs/design.md), so that is left out here; whoever wants it all the same fails.
const Module = require("node:module");

const packing = /\/closure\/(serializeClosure|codePaths)$/;
const nothing = new Proxy(
  {},
  {
    get: (_, name) => () => {
      throw new Error(`a closure is packed: ${String(name)} is called`);
    },
  },
);
const load = Module._load;
Module._load = function (request, ...rest) {
  return packing.test(request) ? nothing : load.call(this, request, ...rest);
};
