/** The operations of an exchange, as Pulumi asks a resource for them: what came of each, and what the state has then. */
import { z } from "zod";
import type { DynamicProvider } from "../../provider/runtime/dynamic.ts";
import { failure, type Props } from "./scripted.ts";

/** What every state has, and no test but those of states is about. */
const USUAL = new Set(["instance", "stateVersion", "__provider"]);
/** Hashes with the random text of a state. */
const MARKS = new Set(["address", "purpose", "firstName", "lastName", "names"]);

const propsSchema = z.record(z.string(), z.unknown());
const argumentSchema = z.union([propsSchema, z.unknown().transform((): Props => ({}))]);

/** A resource in the state. */
export interface Held {
  readonly id: string;
  readonly inputs: Props;
  readonly outs: Props;
}

interface Came {
  readonly lines: readonly string[];
  /** Without one, the state stays. */
  readonly held?: Held;
}

interface Asked {
  readonly resource: DynamicProvider;
  /** Undefined before the creation. */
  readonly held: Held | undefined;
  /** The first argument as inputs; without one, those of the state. */
  readonly news: Props;
  readonly args: readonly unknown[];
}

const nothing: Held = { id: "", inputs: {}, outs: {} };

async function check({
  resource,
  held = nothing,
  news,
}: Asked): Promise<Came & { readonly checked?: Props }> {
  const { failures = [], inputs: checked = {} } = await resource.check(held.inputs, news);
  if (failures.length > 0)
    return { lines: failures.map(({ property, reason }) => `${property || "-"}: ${reason}`) };
  return { lines: ["ok", ...changes(news, checked)], checked };
}

async function diff({ resource, held = nothing, news }: Asked): Promise<Came> {
  const { changes: isChanged, replaces = [] } = await resource.diff(held.id, held.outs, news);
  if (replaces.length > 0) return { lines: [`replaces by ${replaces.join(", ")}`] };
  return { lines: [isChanged ? "updates" : "no change"] };
}

async function create({ resource, held = nothing, news }: Asked): Promise<Came> {
  const { id, outs = {} } = await resource.create(news);
  return {
    lines: [id === held.id ? "ok" : `ok, ${id}`, ...changes(news, outs)],
    held: { id, inputs: news, outs },
  };
}

async function update({ resource, held = nothing, news }: Asked): Promise<Came> {
  const { outs = {} } = await resource.update(held.id, held.outs, news);
  return { lines: ["ok", ...changes(held.outs, outs)], held: { id: held.id, inputs: news, outs } };
}

const operations: Readonly<Record<string, (asked: Asked) => Promise<Came>>> = {
  check,
  diff,
  create,
  update,
  /** A run of a program with these inputs. */
  async up(asked) {
    const { lines, checked } = await check(asked);
    if (checked === undefined) return { lines };
    const own = { ...asked, news: checked };
    if (asked.held === undefined) {
      const { held } = await create(own);
      return { lines: [`ok, ${held?.id}`, ...changes(asked.news, held?.outs ?? {})], ...(held && { held }) };
    }
    const found = await diff(own);
    return found.lines.includes("updates") ? update(own) : found;
  },
  /** The outputs that the preview of an update shows. */
  async preview({ resource, held = nothing, news }) {
    return { lines: [`known: ${resource.stableOutputs(held.outs, news).join(" ") || "nothing"}`] };
  },
  /** A state that nobody makes here: `state Type id, outputs`. */
  async state({ args: [id, given] }) {
    const outs = propsSchema.parse(given);
    return { lines: [], held: { id: String(id), inputs: outs, outs } };
  },
  async read({ resource, held = nothing }) {
    const { id, props: outs = {} } = await resource.read(held.id, held.outs);
    if (id === undefined) return { lines: ["gone"] };
    return { lines: ["there", ...changes(held.outs, outs)], held: { ...held, outs } };
  },
  /** `import Type id`, with the inputs that a program gives a read. */
  async import({ resource, args: [given, more] }) {
    const {
      id,
      props: outs = {},
      inputs = {},
    } = await resource.read(String(given), argumentSchema.parse(more));
    if (id === undefined) return { lines: ["gone"] };
    return { lines: [`inputs: ${shown(inputs)}`, ...changes(inputs, outs)], held: { id, inputs, outs } };
  },
  async delete({ resource, held = nothing }) {
    await resource.delete(held.id, held.outs);
    return { lines: ["ok"] };
  },
};

export async function operate(verb: string, asked: Omit<Asked, "news">): Promise<Came> {
  const operation = operations[verb];
  if (operation === undefined) throw new Error(`no such line: ${verb}`);
  const [given] = asked.args;
  const news = given === undefined ? (asked.held?.inputs ?? {}) : argumentSchema.parse(given);
  try {
    return await operation({ ...asked, news });
  } catch (error) {
    const { message, id, properties: outs } = await failure(Promise.reject(error));
    if (outs === undefined) return { lines: [`failed: ${message}`] };
    const { held } = asked;
    const kept = { id: id ?? held?.id ?? "", inputs: news, outs };
    const made = kept.id === held?.id ? [] : [`kept as ${kept.id}`];
    return { lines: [`failed: ${message}`, ...made, ...changes(held?.outs ?? news, outs)], held: kept };
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value, (key, one: unknown) => {
    const isMark = MARKS.has(key) && typeof one === "string" && /^[\w-]{16}$/.test(one);
    return isMark ? "<mark>" : one;
  });
}

/** What differs between inputs or outputs before and after. */
function changes(before: Props, after: Props): string[] {
  const keys = [...new Set([...Object.keys(after), ...Object.keys(before)])].filter((key) => !USUAL.has(key));
  return keys.flatMap((key) => {
    if (shown(before[key]) === shown(after[key])) return [];
    return after[key] === undefined ? `no ${key}` : `${key}: ${shown(after[key])}`;
  });
}
