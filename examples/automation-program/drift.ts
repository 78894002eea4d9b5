/** Of a program in a folder: prints what differs in the service as JSON, and exits with 2 if something does. */
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import { type Change, changeIn } from "./changes.ts";

const [workDir = ".", stackName = "dev"] = process.argv.slice(2);
const stack = await LocalWorkspace.selectStack({ stackName, workDir });
const changes: Change[] = [];
await stack.preview({ refresh: true, onEvent: (event) => changes.push(...changeIn(event)) });
console.log(JSON.stringify({ changes }));
process.exitCode = changes.length === 0 ? 0 : 2;
