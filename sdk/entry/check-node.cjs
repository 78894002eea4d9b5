// Importing this is the check, so that it runs before the imports that follow it.
require("./node-version.cjs").requireNode();
