/** Tells of every call of a provider, by name and time alone: inputs and outputs may hold secrets. */
import type { ProviderSource } from "./deployment/deployment.ts";
import type { EventBus } from "./events.ts";
import type { Provider } from "./rpc/provider.ts";

export function withCallsTold(source: ProviderSource, events: EventBus): ProviderSource {
  return {
    get: (reference) => {
      const provider = source.get(reference);
      return provider && told(provider, events);
    },
    ensure: (reference, olds) => source.ensure(reference, olds),
    configure: (state, inputs) => source.configure(state, inputs),
  };
}

function told(provider: Provider, events: EventBus): Provider {
  const call = async <Answer>(method: keyof Provider, urn: string, answer: Promise<Answer>) => {
    const started = performance.now();
    const tell = (failed: boolean) => {
      const milliseconds = Math.round(performance.now() - started);
      events.emit({ kind: "call", method, urn, milliseconds, failed });
    };
    answer.then(
      () => tell(false),
      () => tell(true),
    );
    return answer;
  };
  return {
    check: (urn, ...rest) => call("check", urn, provider.check(urn, ...rest)),
    diff: (request) => call("diff", request.urn, provider.diff(request)),
    create: (urn, inputs) => call("create", urn, provider.create(urn, inputs)),
    update: (request) => call("update", request.urn, provider.update(request)),
    read: (request) => call("read", request.urn, provider.read(request)),
    delete: (urn, ...rest) => call("delete", urn, provider.delete(urn, ...rest)),
  };
}
