#!/usr/bin/env node
// The launcher of the command `orgseat`.
require("./launch.js").launch("orgseat", "command/cli/main.js");
