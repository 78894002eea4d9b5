/** Previews that leave people to Pulumi whom the state shows to stay as they are, compared with previews of everybody. */
import { expect } from "vitest";
import { isChange, memberPath, methodKey, type Step } from "../../command/plan/steps/steps.ts";
import { planToText } from "../../command/plan/texts/text.ts";
import { type Preview, type PreviewOptions, previewAll } from "../../command/preview/preview.ts";
import type { Organization } from "../../command/stacks/organization.ts";

/** What the narrowed previews asked Pulumi about. */
export interface Narrowing {
  /** The people whom nothing changes, and of them those whom Pulumi previewed all the same. */
  readonly unchanged: number;
  readonly asked: number;
}

/** Both previews say the same. @returns undefined if both refuse the organization */
export async function expectSamePreview(
  organization: Organization,
  options: PreviewOptions = {},
): Promise<Narrowing | undefined> {
  const whole = await previewOrError({ ...organization, isFull: true }, options);
  const narrowed = await previewOrError({ ...organization, isFull: false }, options);
  if (typeof whole === "string" || typeof narrowed === "string") {
    expect(narrowed).toEqual(whole);
    return undefined;
  }
  const changed = new Set(whole.plan.steps.filter(isChange).map(memberPath));
  expect([...changed].filter((path) => !isAsked(narrowed, path))).toEqual([]);
  // A check that fails stops a preview: how far it came before is not the same.
  const isWhole = whole.failures.length === 0 && whole.plan.isComplete;
  expect(factsOf(narrowed, isWhole)).toEqual(factsOf(whole, isWhole));
  const all = new Set(whole.plan.steps.map(memberPath));
  const left = [...all].filter((path) => !changed.has(path));
  const asked = left.filter((path) => isAsked(narrowed, path));
  return { unchanged: left.length, asked: asked.length };
}

function isAsked({ parts }: Preview, path: string): boolean {
  const [stack = "", ...key] = path.split("/");
  return parts.get(stack)?.affected.has(key.join("/")) ?? true;
}

async function previewOrError(
  organization: Organization,
  options: PreviewOptions,
): Promise<Preview | string> {
  try {
    return await previewAll(organization, options);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function factsOf(preview: Preview, isWhole: boolean) {
  const { plan, document, violations, failures, diagnostics, warnings, drift, owners } = preview;
  const said = diagnostics.map(({ stack, severity, text }) => `${stack} ${severity} ${text}`);
  const rest = {
    // Whether a preview has carried out what it does not change is a matter of the engine's words.
    owners: owners.map((owner) => ({
      ...owner,
      markers: owner.markers.map((marker) => ({ ...marker, isDone: undefined })),
    })),
    digest: document.digest,
    entries: plan.entries,
    approved: plan.approvedChanges.toSorted(byJson),
    steps: new Map(plan.steps.map(plainStep).toSorted(byJson)),
    seats: plan.seats,
    violations,
    diagnostics: said.toSorted(),
    warnings: warnings.map(({ text }) => text).toSorted(),
    drift,
    text: planToText(plan, violations),
  };
  return { failures, ...(isWhole && rest) };
}

/** By key, without what level R and a state have under other names. */
function plainStep({ olds, news, causes = [], ...step }: Step): readonly [key: string, step: object] {
  const properties = { olds: { ...olds, __provider: "" }, news: { ...news, __provider: "" }, causes };
  return [`${methodKey(step)} ${step.action}`, { ...step, ...properties }];
}

function byJson(one: unknown, other: unknown): number {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
  return a < b ? -1 : Number(a > b);
}
