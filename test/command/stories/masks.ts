/** Names in place of what differs from run to run. */
import type { ServiceSnapshot } from "../../../sandbox/service/index.ts";

/** Remembers whom an id belongs to, also after the person is gone. */
export class Masks {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  note(organizationId: string, { users, tokens }: Pick<ServiceSnapshot, "users" | "tokens">): void {
    this.name(organizationId, "organization");
    for (const { userId, email, firstName } of users)
      this.name(userId, (email ?? firstName ?? "nobody").replace(/@.*/, ""));
    for (const { tokenId, userId } of tokens) this.name(tokenId, `token of ${this.nameOf(userId)}`);
  }

  nameOf(userId: string): string {
    return this.#names.get(userId) ?? userId;
  }

  /** The id of the user who is called so: the last one, if there were several. */
  idOf(name: string): string {
    return [...this.#names].findLast(([, known]) => known === name)?.[0] ?? "";
  }

  text(text: string): string {
    let masked = text;
    for (const [id, name] of this.#names) masked = masked.replaceAll(id, `<${name}>`);
    return masked
      .replaceAll(/\b[0-9a-f]{16}@[-\dT:]+Z/g, "<code>")
      .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>")
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "<service>")
      .replaceAll(/\b\d+(\.\d+)? s\b/g, "<seconds>")
      .replaceAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{12})\b/g, "<digest>")
      .replaceAll(/\(attempt \d+\)/g, "(attempt <n>)")
      .replaceAll("\u200b", "\\u{200b}");
  }

  /** The next id of a name gets a number: `<ada#2>`. */
  name(id: string, name: string): void {
    if (this.#names.has(id)) return;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    this.#names.set(id, count === 1 ? name : `${name}#${count}`);
  }
}
