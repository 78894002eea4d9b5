/** A service in its own process, for tests that kill it. Prints its addresses as one line of JSON. */
import { startService } from "../../../sandbox/service/index.ts";

const service = await startService({ dataFolder: process.argv[2] ?? "" });
const { orgUrl, tokenUrl, modelUrl, managementUrl, seed } = service;
console.log(JSON.stringify({ orgUrl, tokenUrl, modelUrl, managementUrl, seed }));
