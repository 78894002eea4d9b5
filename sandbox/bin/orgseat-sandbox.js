#!/usr/bin/env node
// The launcher of the command `orgseat-sandbox`.
require("../../sdk/bin/launch.js").launch("orgseat-sandbox", "sandbox/cli.js");
