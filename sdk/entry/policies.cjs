// `require` and `import` get the same module: one copy of the package per process.
require("./check-node.cjs");
module.exports = require("./policies.js");
