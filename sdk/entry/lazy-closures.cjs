// Loaded before everything else in the processes that orgseat starts. Pulumi's library loads a compiler and a package
// manager at its start, to serialize closures: 0.4 s of the 0.6 s of processor time that it takes to load, in each process.
// No resource of orgseat needs them, so they are loaded when a program first uses them.
const Module = require("node:module");
const path = require("node:path");

const heavy = /^@npmcli\/arborist$|\/typescript-shim$/;
const pulumi = path.join("/", "@pulumi", "pulumi", "/");

let isProviderLoaded = false;

const load = Module._load;
Module._load = function (request, parent, ...rest) {
  isProviderLoaded ||= request === "orgseat/provider";
  const loadNow = () => load.call(this, request, parent, ...rest);
  return heavy.test(request) && parent?.filename?.includes(pulumi) ? lazy(loadNow) : loadNow();
};

/** @param {() => object} loadNow which Node caches */
function lazy(loadNow) {
  return new Proxy(
    {},
    {
      get(_, name) {
        // What compiled code asks of every module that it imports.
        if (name === "__esModule") return true;
        return name === "default" ? loadNow() : loadNow()[name];
      },
    },
  );
}

// Pulumi's process of dynamic providers has credentials in its environment, and loads orgseat for the first resource.
const [, main = "", ...args] = process.argv;
if (main.includes(path.join(pulumi, "cmd", "dynamic-provider")))
  void import("../../dist/provider/runtime/engine-end.js").then(({ onEngineEnd }) =>
    onEngineEnd(args.at(-1) ?? "", () => isProviderLoaded || process.exit()),
  );
