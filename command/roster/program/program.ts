/** The Pulumi program of a roster: one component per person, named by the key. */
import { ComponentResource, runtime } from "@pulumi/pulumi";
import { codeOf } from "../../../provider/util/error-codes.ts";
import { mapConcurrently } from "../../../provider/util/lists.ts";
import { programError } from "../../../sdk/base/program-error.ts";
import { rosterMembers } from "../members.ts";
import { RosterMember } from "../parts/roster-member.ts";
import { type Identity, MARKER_TYPE, type Roster, type RosterFacts, type Undelivered } from "../roster.ts";
import { type Deliver, deliverTo, MemberResources, requireParent } from "./deliver.ts";

/** More would only wait in memory: an unregistered resource takes 70 KB, and the engine works on fewer at once. */
const MEMBERS_AT_ONCE = 25;

export interface RosterProgramOptions {
  /** People to omit, even if the roster has them. Default: none. */
  readonly offboarded?: readonly Identity[] | undefined;
  /** Is called for each member. Required if the roster names a module in `deliver`. Default: none. */
  readonly deliver?: Deliver | undefined;
  /**
   * Gets the members for whom `deliver` failed, after all members are registered. The program then ends well, and Pulumi
   * deletes what an earlier run delivered to them. Default: the program fails, and Pulumi deletes nothing.
   */
  readonly onUndelivered?: ((undelivered: readonly Undelivered[]) => void) | undefined;
  /** When to judge who has access, in milliseconds since 1970. Default: now. */
  readonly now?: number | undefined;
  /** What the state keeps of the roster. Default: nothing. */
  readonly facts?: RosterFacts | undefined;
}

/**
 * The program of a roster, for the Automation API or your own program. Team and order are in no resource, so a change of
 * them writes nothing. `protected` is Pulumi's `protect`. The id of the roster becomes a component of the stack.
 */
export function rosterProgram(roster: Roster, options: RosterProgramOptions = {}): () => Promise<void> {
  const { deliver } = options;
  return async () => {
    if (roster.deliver !== undefined && deliver === undefined) {
      throw programError(
        "invalid-program",
        `${roster.file} names ${roster.deliver}. Pass its function as the option deliver`,
      );
    }
    if (deliver) runtime.registerStackTransformation(requireParent);
    // In the state before the first member, so that even a killed run has marked its stack.
    if (roster.id !== undefined) await new Marker(roster.id, options.facts).isRegistered;
    const members = membersOf(roster, options);
    const failed = await mapConcurrently(members, MEMBERS_AT_ONCE, async ({ person, key, args, options }) => {
      const resources = new MemberResources(options);
      const member = new RosterMember(key, args, resources.options);
      const text = deliver && (await deliverTo(person, member, deliver));
      await resources.registered();
      return text === undefined ? [] : [{ member: key, text }];
    });
    endWith(failed.flat(), options);
  };
}

function endWith(undelivered: readonly Undelivered[], { onUndelivered }: RosterProgramOptions): void {
  if (undelivered.length === 0) return;
  if (onUndelivered === undefined)
    throw programError("deliver-failed", undelivered.map(({ text }) => text).join("\n"));
  onUndelivered(undelivered);
}

class Marker extends ComponentResource {
  /** Resolves when the state has it. */
  readonly isRegistered: Promise<void>;

  constructor(rosterId: string, facts: RosterFacts = {}) {
    super(MARKER_TYPE, rosterId, { ...facts });
    this.isRegistered = new Promise((resolve) => void this.urn.apply(() => resolve()));
    this.registerOutputs();
  }
}

/** @throws an error of the program for a person that the program cannot declare */
function membersOf(roster: Roster, options: RosterProgramOptions): ReturnType<typeof rosterMembers> {
  try {
    return rosterMembers(roster, options);
  } catch (error) {
    throw error instanceof Error ? programError(codeOf(error) ?? "invalid-roster", error.message) : error;
  }
}
