/** Sentences about managed users whose creation an earlier run did not finish. */
interface Unfinished {
  readonly key: string;
  readonly label: string;
  readonly time: string;
  readonly userId: string | undefined;
  readonly next: "wait" | "take" | "create";
}

/** One line of a preview. */
export function describeCreation(creation: Unfinished): string {
  const { key, label, time, userId, next } = creation;
  if (next === "take") {
    return `${label}: a run at ${time} created this managed user as user ${userId}. \`orgseat up\` adds it to the state, without a call.`;
  }
  if (next === "create") {
    return `${label}: a run at ${time} sent the creation of this managed user. \`orgseat up\` creates it, because you decided that it does not exist.`;
  }
  const response = userId === undefined ? "recorded no response" : `received user ${userId}`;
  return `${label}: skipped. A run at ${time} sent the creation of this managed user and ${response}, so the user may exist. ${describeDecision(key, userId)}`;
}

/** What to do after a creation without a recorded response. */
export function describeDecision(key: string, userId = "<user id>"): string {
  const who = shellWord(key);
  return `Check the service's administration. If the user exists, run \`orgseat up --created ${who}=${userId}\`; if not, run \`orgseat up --not-created ${who}\`.`;
}

function shellWord(text: string): string {
  return /^[\w@.+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
