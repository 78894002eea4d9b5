#!/usr/bin/env node
// The launcher of the command `orgseat`.
require("../../sandbox/bin/launch.js").launch("orgseat", "sdk/command/main.js");
