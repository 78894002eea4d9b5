// Loaded before everything else in the processes of test stacks. Pulumi's library loads a compiler and a package manager
// to pack closures, a third of what a process takes to start. No resource of orgseat is packed (docs/internal/design.md), so they
// are left out here; whoever wants them all the same fails.
const Module = require("node:module");

const left = /^@npmcli\/arborist$|\/typescript-shim$/;
const nothing = new Proxy(
  {},
  {
    get(_, name) {
      if (name === "__esModule") return true;
      throw new Error(`a closure is packed: ${String(name)} is wanted`);
    },
  },
);
const load = Module._load;
Module._load = function (request, ...rest) {
  return left.test(request) ? nothing : load.call(this, request, ...rest);
};
