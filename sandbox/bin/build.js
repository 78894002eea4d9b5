// Builds the sandbox and what it is made of.
const path = require("node:path");

const root = path.join(__dirname, "..", "..");
require("../../build.cjs").buildIfStale(root);
