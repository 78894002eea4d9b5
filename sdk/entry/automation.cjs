// `require` gets the very module that `import` gets: there is one copy of the package in a process.
require("./check-node.cjs");
module.exports = require("./automation.js");
