/** What someone can change in the state of a stack: `pulumi stack export`, an editor, `pulumi stack import`. */
import fc from "fast-check";
import type { Recorded } from "../setup/direct-run.ts";
import type { Draw } from "./people.ts";

type Properties = Readonly<Record<string, unknown>>;

const values = [
  ...[undefined, null, true, false, 0, 1, "", "x", "1d", "2027-01-01T00:00:00Z", "2020-01-01T00:00:00Z"],
  ...[{}, [], ["x"], "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"],
] as const;

/** Keys that a resource can have and another resource lacks. */
const keys = [
  ...[
    "email",
    "purpose",
    "firstName",
    "adopt",
    "onDelete",
    "allowAdminRemoval",
    "accessEnd",
    "credentials",
    "stack",
  ],
  ...["userId", "organizationId", "adopted", "confirmed", "sendEmail", "instance", "stateVersion", "unknown"],
  ...[
    "expiresAt",
    "subscriptionExpiresAt",
    "renewBefore",
    "rotation",
    "rotateEvery",
    "recipients",
    "issuedAt",
  ],
  ...[
    "keepValue",
    "isLost",
    "tokenId",
    "validUntil",
    "expirySource",
    "sealedValue",
    "value",
    "replaceExisting",
  ],
] as const;

/** A changed, a removed or an additional key. */
function withKey(draw: Draw, properties: Properties): Properties {
  const key = draw(() => fc.constantFrom(...Object.keys(properties), ...keys));
  const value = draw(() => fc.constantFrom(...values));
  const { [key]: _, ...rest } = properties;
  if (value === undefined) return rest;
  // The state has it encrypted: which form the value has, no export shows.
  return { ...rest, [key]: key === "value" ? String(value) : value };
}

const edits: readonly ((draw: Draw, recorded: Recorded) => Recorded)[] = [
  (draw, one) => ({ ...one, inputs: { ...withKey(draw, one.inputs) } }),
  (draw, one) => ({ ...one, outs: { ...withKey(draw, one.outs) } }),
  (draw, one) => {
    const [inputs, outs] = [withKey(draw, one.inputs), withKey(draw, one.outs)];
    return { ...one, inputs: { ...inputs }, outs: { ...outs } };
  },
  (_, one) => ({ ...one, inputs: {} }),
  (draw, one) => ({ ...one, id: draw(() => fc.constantFrom(`${one.id}x`, one.id.toUpperCase())) }),
  (_, one) => ({ ...one, declared: { ...one.declared, protect: one.declared.protect !== true } }),
  (_, one) => ({ ...one, unfinished: true }),
];

/** Mostly as it is. */
export function withHandEdit(draw: Draw, recorded: Recorded): Recorded {
  if (draw(fc.integer, { min: 0, max: 9 }) > 0) return recorded;
  return draw(() => fc.constantFrom(...edits))(draw, recorded);
}
