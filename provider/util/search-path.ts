/** The variable PATH, whose name has any letter case on Windows. */
import { posix, win32 } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folders of the PATH, in order, without empty ones. */
export function searchPath(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const [name] = namesIn(environment, platform);
  const folders = name === undefined ? "" : (environment[name] ?? "");
  return folders.split(delimiterOf(platform)).filter((folder) => folder !== "");
}

/** The variables with the folder first in PATH, as the only variable of that name. */
export function withFolderFirst<Value extends string | undefined>(
  environment: Readonly<Record<string, Value>>,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): Record<string, Value | string> {
  const names = namesIn(environment, platform);
  const others = Object.entries(environment).filter(([name]) => !names.includes(name));
  const path = [folder, ...searchPath(environment, platform)].join(delimiterOf(platform));
  return Object.fromEntries<Value | string>([...others, ["PATH", path]]);
}

/** All variables of that name. Like Node, the first in sorted order wins. */
function namesIn(environment: Environment, platform: NodeJS.Platform): readonly string[] {
  const names = Object.keys(environment);
  if (platform !== "win32") return names.filter((name) => name === "PATH");
  return names.filter((name) => name.toUpperCase() === "PATH").sort();
}

function delimiterOf(platform: NodeJS.Platform): string {
  return platform === "win32" ? win32.delimiter : posix.delimiter;
}
