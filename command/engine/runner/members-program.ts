/**
 * The Pulumi program of a run of a roster. It registers the members through the monitor, not by the SDK's class: that takes half
 * the time, keeps no stack trace in the state, and writes no secret into the SDK's debug events.
 */
import { ComponentResource, runtime } from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import resourcePb from "@pulumi/pulumi/proto/resource_pb.js";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { limiter } from "../../../provider/util/lists.ts";
import { dynamicToken, providerText } from "../../../sdk/base/registration.ts";
import { MARKER_TYPE } from "../../roster/roster.ts";
import type { Program, ProgramMember } from "../engine.ts";

/** More would only wait in memory: the engine works on fewer at once. */
const MEMBERS_AT_ONCE = 100;

/** A failed member fails no other one: the engine reports it. */
export function membersProgram({ rosterId, facts, members }: Program): PulumiFn {
  return async () => {
    // In the state before the first member, so that even a killed run has marked its stack.
    await new Marker(rosterId, facts).isRegistered;
    const parent = await rootUrn();
    const slot = limiter(MEMBERS_AT_ONCE);
    const answered = new Map<string, Promise<void>>();
    for (const member of members) {
      const before = member.after.flatMap((name) => answered.get(name) ?? []);
      answered.set(
        member.name,
        Promise.all(before).then(() => slot(() => register(member, parent))),
      );
    }
    await Promise.all(answered.values());
  };
}

class Marker extends ComponentResource {
  /** Resolves when the state has it. */
  readonly isRegistered: Promise<void>;

  constructor(rosterId: string, facts: object) {
    super(MARKER_TYPE, rosterId, { ...facts });
    this.isRegistered = new Promise((resolve) => void this.urn.apply(() => resolve()));
    this.registerOutputs();
  }
}

async function rootUrn(): Promise<string> {
  const root = runtime.getStackResource();
  return root === undefined ? "" : new Promise((resolve) => void root.urn.apply(resolve));
}

/** A request whose object is empty: it holds the only Struct that @pulumi/pulumi lets others reach. */
const WITH_STRUCT = Uint8Array.of(42, 0);

type Struct = NonNullable<ReturnType<resourcePb.RegisterResourceRequest["getObject"]>>;

/** The class of @pulumi/pulumi's structs: a copy of another package would not fit its messages. */
const structs = classOf(resourcePb.RegisterResourceRequest.deserializeBinary(WITH_STRUCT).getObject());

function classOf(struct: Struct | undefined): { fromJavaScript(props: object): Struct } {
  if (struct === undefined)
    throw new CodedError("version-mismatch", "@pulumi/pulumi has other requests than this release expects");
  // The constructor of an instance is its class.
  return struct.constructor as unknown as ReturnType<typeof classOf>;
}

async function register({ name, args }: ProgramMember, parent: string): Promise<void> {
  const request = new resourcePb.RegisterResourceRequest();
  request.setType(dynamicToken("OrgMember"));
  request.setName(name);
  request.setParent(parent);
  request.setCustom(true);
  request.setObject(structs.fromJavaScript({ ...args, __provider: providerText("OrgMember") }));
  request.setAcceptsecrets(true);
  request.setAdditionalsecretoutputsList(["tokenValue"]);
  request.setSupportspartialvalues(true);
  request.setAliasspecs(true);
  request.setSupportsresultreporting(true);
  // The engine reports why a registration failed. After its end, there is no one to tell.
  await new Promise<void>((resolve) => {
    runtime.getMonitor()?.registerResource(request, () => resolve());
  });
}
