/** A service in a process of its own, for tests that kill it. Prints its addresses as one line of JSON. */
import { startService } from "../../../sandbox/service/index.ts";

const { orgUrl, tokenUrl, managementUrl, seed } = await startService({ dataFolder: process.argv[2] ?? "" });
console.log(JSON.stringify({ orgUrl, tokenUrl, managementUrl, seed }));
