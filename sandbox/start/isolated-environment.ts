/**
 * The closed room in which `npm start` and the tests run: the caller's `ORGSEAT_*` and `PULUMI_*` stay outside, state
 * lies in a folder of its own, and the only service is on the loopback address.
 */
import { dirname, join } from "node:path";
import { withFolderFirst } from "../../provider/search-path.ts";

/** What a run in the room needs to know. */
export interface IsolatedEnvironment {
  /** Everything that is kept: Pulumi's state and home. */
  readonly folder: string;
  readonly passphrase: string;
  /** Where Node keeps compiled code; may be shared by rooms. */
  readonly compileCache: string;
  /** Configuration by its environment variables. */
  readonly configuration: Readonly<Record<string, string>>;
}

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\//;

/** The environment of every process of the room. */
export function isolatedEnvironment(
  caller: NodeJS.ProcessEnv,
  room: IsolatedEnvironment,
): Record<string, string> {
  for (const [name, value] of Object.entries(room.configuration)) {
    if (name.endsWith("_URL") && !LOOPBACK.test(value)) {
      throw new Error(`${name} is ${value}, and only a service on the loopback address is used here`);
    }
  }
  const outside = Object.entries(caller).filter(([name]) => !/^(ORGSEAT|PULUMI)_/i.test(name));
  const environment: Record<string, string> = {};
  for (const [name, value] of outside) if (value !== undefined) environment[name] = value;
  return {
    // Programs and providers run on the Node that runs this.
    ...withFolderFirst(environment, dirname(process.execPath)),
    // A second run starts faster: what Node compiled is kept.
    NODE_COMPILE_CACHE: room.compileCache,
    PULUMI_HOME: join(room.folder, "home"),
    PULUMI_BACKEND_URL: `file://${join(room.folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: room.passphrase,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // gRPC would reach the processes of the room through the proxy of `https_proxy`.
    no_grpc_proxy: "127.0.0.1,localhost",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    ...room.configuration,
  };
}
