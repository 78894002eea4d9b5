/** Reads what Pulumi passes to a resource, by the schemas of its definition. */
import { formatIssues, inputIssuesOf, schemaErrorMessage } from "../config/validation.ts";
import { type AnyDefinition, type InputIssue, STATE_VERSION } from "../resources/resource.ts";
import { holdsUnknown, type Knowable, unknown } from "../resources/unknown.ts";
import { PROVIDER_KEY } from "./pulumi-result.ts";

type Props = Readonly<Record<string, unknown>>;
type SchemasOf = Pick<AnyDefinition, "name" | "inputs" | "outputs" | "secretInputs">;

/** Reads inputs and outputs of a resource by its schemas. */
export class Schemas {
  readonly #definition: SchemasOf;

  constructor(definition: SchemasOf) {
    this.#definition = definition;
  }

  /** The inputs, with values that are not known yet as `unknown`, and what is wrong with them. */
  parse(news: Props): { readonly parsed: Knowable<Props>; readonly failures: InputIssue[] } {
    const { name, inputs } = this.#definition;
    const failures: InputIssue[] = [];
    const parsed: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(news)) {
      if (key === PROVIDER_KEY || value === null || value === undefined) continue;
      if (!(key in inputs)) failures.push({ property: key, reason: `${name} has no such input` });
      else if (holdsUnknown(value)) parsed[key] = unknown;
    }
    for (const [key, schema] of Object.entries(inputs)) {
      if (parsed[key] === unknown) continue;
      const value = news[key] ?? undefined;
      if (value === undefined && key === "organizationId") continue;
      const result = schema.safeParse(value, { error: schemaErrorMessage });
      if (!result.success) {
        for (const issue of inputIssuesOf(result.error, [key])) failures.push(this.#withoutSecret(issue));
        // An invalid value counts as unknown: other issues still show, and this one causes no further ones.
        parsed[key] = unknown;
      } else if (result.data !== undefined) {
        parsed[key] = result.data;
      }
    }
    return { parsed, failures };
  }

  /** The inputs of a diff, which check has parsed already. */
  knowable(news: Props): Knowable<Props> {
    const { parsed, failures } = this.parse(news);
    if (failures.length > 0) throw new Error(`${this.#definition.name}: ${formatIssues(failures)}`);
    return parsed;
  }

  /** The inputs of a method that runs outside previews. */
  known(news: Props): Props {
    const parsed = this.knowable(news);
    for (const [key, value] of Object.entries(parsed))
      if (value === unknown)
        throw new Error(`${this.#definition.name}: ${key} has no value outside a preview`);
    return parsed;
  }

  /** The old inputs as far as they can be read; none on a creation. */
  oldInputs(olds: Props): Props | undefined {
    if (Object.keys(olds).length === 0) return undefined;
    const parsed: Record<string, unknown> = {};
    for (const [key, schema] of Object.entries(this.#definition.inputs)) {
      const result = schema.safeParse(olds[key]);
      if (result.success && result.data !== undefined) parsed[key] = result.data;
    }
    return parsed;
  }

  /** The outputs that the state holds. */
  state(id: string, olds: Props): Props {
    const { name, inputs, outputs } = this.#definition;
    const who = `${name} with the id ${id}`;
    const version = olds.stateVersion;
    if (typeof version === "number" && version > STATE_VERSION) {
      throw new Error(
        `cannot read the state of ${who}: a newer release of orgseat wrote it (state version ${version}, this release reads up to ${STATE_VERSION}). Nothing was sent to the service. Upgrade the package orgseat of this program, then run the command again.`,
      );
    }
    // Pulumi keeps an absent input as null at times; nullable outputs keep theirs.
    const present = Object.entries(olds).filter(([key, value]) => value !== null || !(key in inputs));
    const result = outputs.safeParse(Object.fromEntries(present), { error: schemaErrorMessage });
    if (result.success) return result.data;
    throw new Error(
      `cannot read the state of ${who}: ${formatIssues(inputIssuesOf(result.error))}. Nothing was sent to the service. Restore the state from a backup (\`pulumi stack import\`), then run the command again.`,
    );
  }

  /** Names a secret property in the text only: Pulumi shows the value of the property that an issue names. */
  #withoutSecret(issue: InputIssue): InputIssue {
    const { property, reason } = issue;
    const isSecret = this.#definition.secretInputs.some((key) => property.split(/[.[]/, 1)[0] === key);
    return isSecret ? { property: "", reason: `${property}: ${reason}` } : issue;
  }
}
