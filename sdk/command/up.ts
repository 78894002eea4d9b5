/** `orgseat up`. */
import type { CreationDecision } from "../automation/creations.ts";
import { upAll } from "../automation/up.ts";
import type { UpFlags } from "./flags.ts";
import { runVerb } from "./session.ts";

export function upVerb(options: UpFlags): Promise<void> {
  const decisions = decisionsOf(options);
  return runVerb("Applying", options, (organization, up) =>
    upAll(organization, { ...up, decisions, refresh: options.refresh }),
  );
}

function decisionsOf({ created = [], notCreated = [] }: UpFlags): CreationDecision[] {
  return [...created.map(creationOf), ...notCreated.map((who) => ({ who, userId: undefined }))];
}

/** A purpose can contain an equals sign, a user id cannot. */
function creationOf(text: string): CreationDecision {
  const at = text.lastIndexOf("=");
  const [who, userId] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (who === "" || !/^[A-Za-z0-9._~-]{1,128}$/.test(userId)) {
    throw new Error(`invalid --created ${text}: expected <who>=<user id>, for example builds=7a1f2c3d`);
  }
  return { who, userId };
}
