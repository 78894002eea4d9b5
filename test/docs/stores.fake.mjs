#!/usr/bin/env node
// What the recipes of docs/tokens.md need of kubectl, vault, and gh, by the name of the program. The entries are in the file of FAKE_STORE.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

const [, program, ...args] = process.argv;
const file = process.env.FAKE_STORE;
const entries = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
const input = () => readFileSync(0, "utf8");
const flag = (name) => args[args.indexOf(name) + 1];
const print = (value) => console.log(JSON.stringify(value));
const write = (name, value) => {
  if (process.env.FAKE_STORE_IS === "read-only") throw new Error(`nothing was to change: ${called}`);
  if (value === undefined) delete entries[name];
  else entries[name] = value;
  writeFileSync(file, JSON.stringify(entries));
};
const listed = (prefix) => Object.entries(entries).filter(([name]) => name.startsWith(prefix));

const deeds = {
  "kubectl get": () => print({ items: Object.values(entries) }),
  "kubectl create": () => {
    const [, token = ""] = /^--from-file=token=(.*)/m.exec(args.join("\n")) ?? [];
    print({ metadata: { name: args[3] }, data: { token: readFileSync(token, "utf8") } });
  },
  "kubectl apply": () => {
    const given = JSON.parse(input());
    write(given.metadata.name, given);
  },
  "kubectl delete": () => write(args[2]),
  "vault kv list": () => {
    const names = listed("secret/orgseat/").map(([name]) => basename(name));
    print(names.length === 0 ? {} : names);
    process.exitCode = names.length === 0 ? 2 : 0;
  },
  "vault kv get": () => print({ data: { data: entries[args[3]] } }),
  "vault kv put": () => {
    const pairs = args.slice(3).map((one) => one.split(/=(.*)/s).slice(0, 2));
    const read = (text) => (text.startsWith("@") ? readFileSync(text.slice(1), "utf8") : text);
    write(args[2], Object.fromEntries(pairs.map(([name, text]) => [name, read(text)])));
  },
  "vault kv metadata": () => write(args[3]),
  "gh variable list": () => {
    for (const [, value] of listed("variable TOKEN_OF_")) console.log(value);
  },
  "gh variable set": () => write(`variable ${args[2]}`, flag("--body")),
  "gh variable delete": () => write(`variable ${args[2]}`),
  "gh secret list": () => {
    for (const [name] of listed("secret ")) console.log(name.slice(7));
  },
  "gh secret set": () => write(`secret ${args[2]}`, input()),
  "gh secret delete": () => write(`secret ${args[2]}`),
};
const called = [basename(program), ...args].join(" ");
const name = Object.keys(deeds).find((one) => called.startsWith(one));
if (name === undefined) throw new Error(`no fake of ${called}`);
// The write at which the job dies.
if (called.startsWith(process.env.FAKE_DEATH ?? "never")) process.kill(process.ppid, "SIGKILL");
else deeds[name]();
