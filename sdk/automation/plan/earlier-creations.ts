/** Words about managed users whose creation an earlier run did not finish. */
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
    return `${label}: a run of ${time} asked for this managed user, who is user ${userId}. It is taken into the state, without a call.`;
  }
  if (next === "create") {
    return `${label}: a run of ${time} asked for this managed user. It is created, because you have decided that it does not exist.`;
  }
  const answer = userId === undefined ? "recorded no answer" : `was answered with user ${userId}`;
  return `${label}: not created, because a run of ${time} asked for this managed user and ${answer}, so it may exist. ${describeDecision(key, userId)}`;
}

/** How to go on after a creation without a recorded answer. */
export function describeDecision(key: string, userId = "<user id>"): string {
  const who = shellWord(key);
  return `Look in the service's administration. If it exists, run \`orgseat up --created ${who}=${userId}\`; if it does not, \`orgseat up --not-created ${who}\`.`;
}

function shellWord(text: string): string {
  return /^[\w@.+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
