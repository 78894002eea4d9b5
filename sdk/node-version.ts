/** Imported first: says in one sentence that this Node is too old, before a dependency fails less clearly. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(
    `orgseat needs Node 22.19 or newer, and this is Node ${process.versions.node}. Install a newer Node and run again.`,
  );
}
