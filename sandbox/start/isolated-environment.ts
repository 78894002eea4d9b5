/**
 * The isolated environment of `npm start` and the tests: without the caller's `ORGSEAT_*` and `PULUMI_*`, with state
 * in its own folder, and with a service on the loopback address only.
 */
import { dirname, join } from "node:path";
import { withFolderFirst } from "../../provider/util/search-path.ts";

/** The options of an isolated environment. */
interface IsolatedEnvironment {
  /** The folder of Pulumi's state and home. */
  readonly folder: string;
  readonly passphrase: string;
  /** The folder of Node's compile cache, which environments may share. */
  readonly compileCache: string;
  /** Configuration as environment variables. */
  readonly configuration: Readonly<Record<string, string>>;
}

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\//;

/** The variables of every process of the isolated environment. */
export function isolatedEnvironment(
  caller: NodeJS.ProcessEnv,
  options: IsolatedEnvironment,
): Record<string, string> {
  for (const [name, value] of Object.entries(options.configuration)) {
    if (name.endsWith("_URL") && !LOOPBACK.test(value)) {
      throw new Error(
        `${name} is ${value}: the isolated environment allows a service on the loopback address only`,
      );
    }
  }
  const outside = Object.entries(caller).filter(([name]) => !/^(ORGSEAT|PULUMI)_/i.test(name));
  const environment: Record<string, string> = {};
  for (const [name, value] of outside) if (value !== undefined) environment[name] = value;
  return {
    // Programs and providers run on the Node of this process.
    ...withFolderFirst(environment, dirname(process.execPath)),
    // The compile cache makes a second run start faster.
    NODE_COMPILE_CACHE: options.compileCache,
    PULUMI_HOME: join(options.folder, "home"),
    PULUMI_BACKEND_URL: `file://${join(options.folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: options.passphrase,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // Otherwise gRPC uses the proxy of `https_proxy` for processes of this machine.
    no_grpc_proxy: "127.0.0.1,localhost",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    ...options.configuration,
  };
}
