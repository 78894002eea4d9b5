// Checks on import, so that the check runs before the imports that follow.
require("./node-version.cjs").requireNode();
