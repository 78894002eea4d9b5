/** What `config` in Pulumi.yaml asks of a stack's configuration: which keys there must be, and of which type. */
import { z } from "zod";
import { type ConfigValue, configKey } from "./config.ts";
import { UserError } from "./errors.ts";
import type { Project } from "./project.ts";

interface Items {
  type: string;
  items?: Items | undefined;
}

const itemsSchema: z.ZodType<Items> = z.object({
  type: z.string(),
  items: z.lazy(() => itemsSchema).optional(),
});

/** A key that Pulumi.yaml declares, rather than giving its value. */
const declarationSchema = z.looseObject({
  type: z.string().optional(),
  items: itemsSchema.optional(),
  secret: z.boolean().optional(),
});

interface Declared {
  /** As Pulumi.yaml has it. */
  name: string;
  key: string;
  type: string | undefined;
  items: Items | undefined;
  secret: boolean;
}

function declaredKeys(project: Project): Declared[] {
  return Object.entries(project.config)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, raw]) => {
      const parsed = declarationSchema.safeParse(raw);
      if (!parsed.success) return [];
      const { type, items, secret = false } = parsed.data;
      return [{ name, key: configKey(name, project.name), type, items, secret }];
    });
}

/** Whether there is anything to check: it takes the secrets to be opened. */
export function hasSchema(project: Project): boolean {
  return declaredKeys(project).length > 0;
}

/** Throws a sentence where the configuration is not what Pulumi.yaml asks for. */
export function checkConfig(project: Project, stack: string, values: ReadonlyMap<string, ConfigValue>): void {
  const declared = declaredKeys(project);
  const own = declared.filter(({ key }) => key.startsWith(`${project.name}:`));
  const missing = own.filter(({ key }) => !values.has(key)).map(({ name }) => `'${name}'`);
  if (missing.length > 0) {
    const noun = missing.length === 1 ? "value" : "values";
    refuse(`Stack '${stack}' is missing configuration ${noun} ${listed(missing)}`);
  }
  for (const { name, key, type, items, secret } of declared) {
    const value = values.get(key);
    if (!value || type === undefined) continue;
    const about = `Stack '${stack}' with configuration key '${name}' must be`;
    if (secret && !value.secret) refuse(`${about} encrypted as it's secret`);
    if (!isOf(value.object ?? value.value, type, items))
      refuse(`${about} of type '${fullName(type, items)}'`);
  }
}

function refuse(sentence: string): never {
  throw new UserError(`validating stack config: ${sentence}`);
}

function listed(names: string[]): string {
  const [last = "", ...others] = names.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(", ")} and ${last}`;
}

/** Texts that read as a whole number or a truth value are one. */
function isOf(value: unknown, type: string, items: Items | undefined): boolean {
  if (type === "string") return typeof value === "string";
  if (type === "integer")
    return Number.isInteger(value) || (typeof value === "string" && /^[+-]?\d+$/.test(value));
  if (type === "boolean") return typeof value === "boolean" || value === "true" || value === "false";
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return (
    Array.isArray(value) && items !== undefined && value.every((item) => isOf(item, items.type, items.items))
  );
}

function fullName(type: string, items: Items | undefined): string {
  return items ? `${type}<${fullName(items.type, items.items)}>` : type;
}
