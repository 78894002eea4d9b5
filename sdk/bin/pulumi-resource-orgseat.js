#!/usr/bin/env node
// The launcher of the packaged plugin, which Pulumi starts.
require("./launch.js").launch("pulumi-resource-orgseat", "provider/plugin/main.js");
