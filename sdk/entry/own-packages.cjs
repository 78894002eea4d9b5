// Loaded before everything else in the processes of a roster: they load Pulumi's library and orgseat as the
// command has them. The folder of the roster can be someone's repository, and Pulumi looks there first.
const Module = require("node:module");

const own = /^(?:@pulumi\/pulumi|orgseat)(?:\/|$)/;

const here = Module.createRequire(__filename);
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  // The own resolution comes here too: its paths are those of this file.
  if (own.test(request) && rest[0]?.filename !== __filename) return here.resolve(request);
  return resolveFilename.call(this, request, ...rest);
};
