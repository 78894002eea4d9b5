/** Tells of every call of a provider, by name and time alone: inputs and outputs may hold secrets. */
import type { EventBus } from "./events.ts";
import type { PluginHost } from "./plugin-host.ts";
import { Providers } from "./providers.ts";
import type { Provider } from "./rpc/provider.ts";

export class LoggedProviders extends Providers {
  readonly #events: EventBus;

  constructor(host: PluginHost, events: EventBus) {
    super(host);
    this.#events = events;
  }

  override get(reference: string): Provider | undefined {
    const provider = super.get(reference);
    return provider && told(provider, this.#events);
  }
}

function told(provider: Provider, events: EventBus): Provider {
  const call = <Answer>(method: keyof Provider, subject: string, answer: Promise<Answer>) => {
    const started = performance.now();
    const tell = (failed: boolean) => {
      const milliseconds = Math.round(performance.now() - started);
      events.emit({ kind: "call", method, subject, milliseconds, failed });
    };
    answer.then(
      () => tell(false),
      () => tell(true),
    );
    return answer;
  };
  return {
    check: (request) => call("check", request.urn, provider.check(request)),
    diff: (request) => call("diff", request.urn, provider.diff(request)),
    create: (request) => call("create", request.urn, provider.create(request)),
    update: (request) => call("update", request.urn, provider.update(request)),
    read: (request) => call("read", request.urn, provider.read(request)),
    delete: (request) => call("delete", request.urn, provider.delete(request)),
    invoke: (request) => call("invoke", request.token, provider.invoke(request)),
  };
}
