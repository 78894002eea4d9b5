/** The variables of a run's processes: which Pulumi CLI and which Node they run, and where relative paths start. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { CodedError } from "../../provider/util/error-codes.ts";
import { absolutePaths, CORRECT_PULUMI } from "../../provider/util/pulumi-command.ts";
import {
  type FoundPulumi,
  findPulumi,
  searchPath,
  withFolderFirst,
} from "../../provider/util/search-path.ts";
import { cacheFolder } from "./folders.ts";

/** Pulumi's default is 4 for each core. A service that answers late needs as many people as the client sends requests at once. */
const PEOPLE_AT_ONCE = Math.max(16, 4 * availableParallelism());

interface RunEnvironment {
  readonly environment: NodeJS.ProcessEnv;
  /** Undefined if there is none: Pulumi's library reports it. */
  readonly pulumi: FoundPulumi | undefined;
}

/**
 * The folder of a roster is data: it does not say which Pulumi CLI runs.
 * @throws Error if ORGSEAT_PULUMI_PATH names no executable file
 */
export function environmentOf(surrounding: NodeJS.ProcessEnv): RunEnvironment {
  // PULUMI_OPTION_REFRESH, PULUMI_OPTION_TARGET, and the like: the plan does not show what they change.
  const environment = Object.fromEntries(
    Object.entries({ ...surrounding, ...absolutePaths(surrounding) }).filter(
      ([name]) => !/^PULUMI_OPTION_/i.test(name),
    ),
  );
  const pulumi = findPulumi(environment);
  if (pulumi && "problem" in pulumi)
    throw new CodedError("missing-pulumi", `${pulumi.problem}; ${CORRECT_PULUMI}`);
  return {
    pulumi,
    environment: {
      ...withNodeFirst(withPulumiFirst(environment, pulumi)),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_PARALLEL: environment.PULUMI_PARALLEL || String(PEOPLE_AT_ONCE),
      NODE_COMPILE_CACHE: environment.NODE_COMPILE_CACHE || join(cacheFolder(environment), "compiled"),
      // gRPC between Pulumi's processes would use the proxy of `https_proxy`.
      no_grpc_proxy: environment.no_grpc_proxy || "127.0.0.1,localhost",
      // For stacks without a settings file: the state names its secrets provider.
      PULUMI_FALLBACK_TO_STATE_SECRETS_MANAGER: "true",
    },
  };
}

/** The Automation API runs the first `pulumi` of the PATH. The other processes have other current folders. */
function withPulumiFirst(environment: NodeJS.ProcessEnv, pulumi: FoundPulumi | undefined): NodeJS.ProcessEnv {
  if (pulumi === undefined || pulumi.isFirst) return environment;
  return { ...withFolderFirst(environment, dirname(pulumi.file)), ORGSEAT_PULUMI_PATH: pulumi.file };
}

/**
 * Pulumi runs providers with the first `node` of the PATH, which can be too old. So a folder with nothing but the Node of
 * this process comes first, unless it is a Windows that needs rights for it, or the folder cannot be written.
 */
function withNodeFirst(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (process.platform === "win32") return environment;
  const first = searchPath(environment)
    .map((folder) => join(folder, "node"))
    .find((file) => existsSync(file));
  if (first !== undefined && realpathSync(first) === realpathSync(process.execPath)) return environment;
  const name = createHash("sha256").update(process.execPath).digest("hex").slice(0, 12);
  const folder = join(cacheFolder(environment), "node", name);
  const file = join(folder, "node");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!existsSync(file)) symlinkSync(process.execPath, file);
  } catch {
    // Another process can have made it at this moment.
  }
  return existsSync(file) ? withFolderFirst(environment, folder) : environment;
}
