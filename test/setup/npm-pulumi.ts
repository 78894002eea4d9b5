/** A folder with npm's package `pulumi`, whose program downloads a CLI on its first use, with text on standard output. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./temporary.ts";

export const NPM_VERSION = "3.265.0";

/** @param cli the text of the CLI that it downloads @param isShim whether `.bin` has a script instead of a link, as with pnpm */
export function npmPulumi(cli: string, { isShim = false } = {}) {
  const [folder, home] = [temporaryFolder(), temporaryFolder()];
  const installed = join(folder, "node_modules", "pulumi");
  const bin = join(folder, "node_modules", ".bin");
  for (const one of [installed, bin]) mkdirSync(one, { recursive: true });
  writeFileSync(join(installed, "package.json"), JSON.stringify({ name: "pulumi", version: NPM_VERSION }));
  writeFileSync(join(installed, "cli"), cli);
  const file = join(home, "versions", NPM_VERSION, "bin", "pulumi");
  const script = `#!/bin/sh
echo x >> ${join(installed, "started")}
[ -e ${join(installed, "offline")} ] && exit 1
if [ ! -e ${file} ]; then
  echo "=== Installing Pulumi ==="
  mkdir -p ${join(file, "..")} && cp ${join(installed, "cli")} ${file} && chmod +x ${file}
fi
exec ${file} "$@"
`;
  const run = join(installed, "run.js");
  writeFileSync(run, script);
  chmodSync(run, 0o755);
  const program = join(bin, "pulumi");
  if (isShim) writeFileSync(program, `#!/bin/sh\nexec ${run} "$@"\n`, { mode: 0o755 });
  else symlinkSync("../pulumi/run.js", program);
  return {
    folder,
    bin,
    program,
    file,
    environment: { PULUMI_HOME: home },
    /** From now on it cannot download. */
    goOffline: () => writeFileSync(join(installed, "offline"), ""),
    starts: () => readFileSync(join(installed, "started"), "utf8").split("\n").length - 1,
  };
}
