/** The provider's objects through the packaged plugin: each call of a method goes over gRPC. */
import { isDeepStrictEqual } from "node:util";
import type { dynamic } from "@pulumi/pulumi";
import type { ProviderProcess } from "../../provider/runtime/process.ts";
import { byType } from "./by-type.ts";
import type { DirectProviders } from "./direct-providers.ts";
import { CallFailed, connectPlugin, type Props, secret } from "./plugin-client.ts";

export async function pluginProviders(
  process: ProviderProcess,
): Promise<{ readonly made: DirectProviders; close(): void }> {
  const plugin = await connectPlugin(process);
  const serve = (type: keyof DirectProviders): Required<dynamic.ResourceProvider> => ({
    configure: async () => undefined,
    check: (olds, news) =>
      plugin.check(type, olds, news).then(({ inputs, failures }) => ({ inputs: clear(inputs), failures })),
    diff: (id, olds, news) =>
      plugin.diff(type, id, olds, olds, news).then(({ changes, replaces }) => ({ changes, replaces })),
    create: (inputs) =>
      plugin.create(type, inputs).then(({ id, outs }) => ({ id, outs: clear(outs) }), throwAsDynamic),
    read: (id, props = {}) =>
      plugin.read(type, id, props, {}).then((read) => (read.id === "" ? {} : readOf(read))),
    update: (id, olds, news) =>
      plugin.update(type, id, olds, news).then(({ outs }) => ({ outs: clear(outs) }), throwAsDynamic),
    delete: (id, props) => plugin.delete(type, id, props),
  });
  return { made: byType(serve), close: plugin.close };
}

/** Only an import gives inputs: these calls pass none. */
function readOf({
  id,
  props,
  inputs,
}: {
  readonly id: string;
  readonly props: Props;
  readonly inputs: Props;
}) {
  return {
    id,
    props: clear(props),
    ...(Object.keys(inputs).length > 0 && { inputs: clear(inputs) }),
  };
}

/** A partial creation as dynamic providers say it. */
function throwAsDynamic(error: unknown): never {
  if (!(error instanceof CallFailed) || error.partial === undefined) throw error;
  const { id, outs, reasons } = error.partial;
  throw Object.assign(error, { id, properties: clear(outs), reasons });
}

/** The values without the marks of secrets. */
function clear(props: Props): Props {
  return Object.fromEntries(Object.entries(props).map(([key, value]) => [key, unmarked(value)]));
}

function unmarked(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("value" in value)) return value;
  return isDeepStrictEqual(value, secret(value.value)) ? value.value : value;
}
