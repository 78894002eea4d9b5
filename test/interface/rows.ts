/**
 * Every row of the interface by its id. A test names a row by holding the id in its title; coverage.test.ts finds the
 * rows that no test, or no mutant, names.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { calls, errorCodes, serverStatuses } from "./interface.ts";

export interface Row {
  readonly id: string;
  /** What the interface says there. */
  readonly says: string;
}

const rules: Readonly<Record<string, string>> = {
  "call 2, rule 1": "one account is shown in the answer; whether a list wraps it is not shown",
  "call 4, rule 2": "onboarding fails for an email that has an account",
  "call 4, rule 3": "people are added as far as seats reach, the others are listed as unavailable",
  "call 4, rule 4": "a later problem of a person who was accepted does not stand in the answer",
  "call 4, rule 5": "admins get a mail; each new person gets a welcome and a mail with the token",
  "call 5, rule 6": "without an email the user is managed, its names are its purpose; absent names are null",
  "call 7, rule 7": "whether expires_at is required is not shown",
  "call 1, rule 8": "the secret is in this answer and in no other",
  "rule 9": "a person is removed by calls 9, 10 and 11, in this order",
};

const notes: Readonly<Record<string, string>> = {
  "call 8, note A": "status and body of the answer are not shown",
  "call 9, note A": "status and body of the answer are not shown",
  "call 10, note A": "status and body of the answer are not shown",
  "call 11, note A": "status and body of the answer are not shown",
  "call 12, note 1": "the names of the filters in the query are not shown",
  "call 12, note 2": "the statuses of errors are not shown",
  "call 13, note 2": "the statuses of errors are not shown",
  "call 14, note 2": "the statuses of errors are not shown",
  "call 16, note 2": "the statuses of errors are not shown",
  "call 15, note 3": "what an item of the list is, is not shown",
  "call 13, note 4": "two errors are shown",
  "call 14, note 4": "four errors are shown",
  "call 16, note 5": "the body has to be called application/json",
};

const transitions: Readonly<Record<string, string>> = {
  "transition: token POST": "a user who exists gets a token, answered with its end",
  "transition: token PATCH":
    "after a renewal the token runs to the subscription's new end, its value unchanged",
  "transition: token DELETE": "the token is revoked, the first step of a removal",
  "transition: seat POST": "a member gets a seat; a repeated call answers 201",
  "transition: seat DELETE": "the seat is taken away, the second step of a removal",
  "transition: membership DELETE": "the user leaves the organization, the last step of a removal",
  "transition: membership POST users": "a user is added, a managed one where no email is given",
  "transition: membership POST users_auto_registration":
    "people without an account become members with a seat and a token, as far as seats reach",
  "transition: subscription renewed": "a renewed subscription alone extends no token",
  "transition: server DELETE": "a deleted server is answered with the status deleted",
};

const authentication: Readonly<Record<string, string>> = {
  "authentication: model area 1": "the key is shown as Authorization: Bearer",
  "authentication: model area 2": "the key is a UUID",
  "authentication: model area 3": "every call of the area needs it",
  "authentication: organization area 1": "user name and password of an admin give the User_Token",
  "authentication: organization area 2": "call 1 needs the User_Token",
  "authentication: organization area 3":
    "client id and secret of an account give the ServiceAccount_Token, for the other calls",
  "authentication: organization area 4": "the caller is an admin of an organization with a live subscription",
  "authentication: organization area 5": "the token endpoint and how a token is presented are not shown",
};

const others: Readonly<Record<string, string>> = {
  "naming rule": "lower-case letters, digits, hyphens, and underscores in the name of a service account",
  "fields: service account": "name, client_id, org_id; client_secret once",
  "fields: user": "id, email, first_name, last_name; names may be null",
  "fields: token": "token, expires_at; the end may be null",
  "fields: onboarding result": "two lists of emails, two counts of seats",
  "fields: server": "id, tag, serverProcessId, modelFile, serverConfig, server",
  "fields: model file": "ten fields, with how far the download is",
  "fields: deleted server": "id, status, deletedAt",
  "fields: table": "name, schema with columns, numRows",
  "error body: message": "every error body has error.message",
  "error body: code": "the error body of call 15 has error.code",
  "call 15, 404": "the server is not running",
  "call 15, 500": "an internal error",
  "limit 1": "no cap on service accounts",
  "limit 2": "no cap on managed users",
  "limit 3": "call 4 adds people while seats are free, and answers how many there are and are left",
  "limit 4": "rate limits, sizes, pages and time-outs are not shown",
};

function listed(group: Readonly<Record<string, string>>): Row[] {
  return Object.entries(group).map(([id, says]) => ({ id, says }));
}

export const rows: readonly Row[] = [
  ...calls.map(({ number, method, path }) => ({ id: `call ${number}`, says: `${method} ${path}` })),
  ...listed(rules),
  ...listed(notes),
  ...listed(transitions),
  ...serverStatuses.map((status) => ({
    id: `server status ${status}`,
    says: `servers that are ${status} can be asked for`,
  })),
  ...errorCodes.map((code) => ({ id: `code ${code}`, says: `an error can carry ${code}` })),
  ...listed(authentication),
  ...listed(others),
];

/** Longer ids first: "call 4, rule 3" is not "call 4". */
const anyId = new RegExp(
  `(?<![\\w-])(?:${rows
    .map(({ id }) => id)
    .sort((a, b) => b.length - a.length)
    .join("|")})(?![\\w-])`,
  "g",
);

/** The rows that a title, or any other text, names. */
export function rowsNamedIn(title: string): string[] {
  return [...title.matchAll(anyId)].map(([id]) => id);
}

/** The texts in the source of a test, one a line: its titles, and the tables that fill them in. Comments are none. */
export function textsIn(source: string): string {
  const code = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  return [...code.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)]
    .map(([text]) => `${text.slice(1, -1)} `)
    .join("\n");
}

/** The texts of a test, and the titles of the stories that it plays. */
export function textsOf(file: string): string {
  const texts = textsIn(readFileSync(file, "utf8"));
  const stories = [...texts.matchAll(/^[\w-]+\.txt(?= $)/gm)].map(([name]) => join(dirname(file), name));
  const titles = stories
    .filter((story) => existsSync(story))
    .flatMap((story) => readFileSync(story, "utf8").match(/^== .*$/gm) ?? []);
  return [texts, ...titles].join("\n");
}
