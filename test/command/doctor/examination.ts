/** Plays a story of `orgseat doctor`: a place where all is right, what becomes wrong with it, and the report. */
import { writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { diagnose } from "../../../command/doctor/doctor.ts";
import type { DoctorOptions } from "../../../command/doctor/facts.ts";
import { formatReport } from "../../../command/doctor/report.ts";
import { RosterError } from "../../../command/roster/formats/validation.ts";
import { readRoster } from "../../../command/roster/read.ts";
import { faultRuleSchema } from "../../../sandbox/service/base/fault-injection.ts";
import type { LoggedRequest } from "../../../sandbox/service/index.ts";
import { Service } from "../../provider/api/service.ts";
import { makeCertificate } from "../../setup/certificate.ts";
import { listenOnLoopback } from "../../setup/loopback.ts";
import { temporaryFolder } from "../../setup/sandbox.ts";
import { fieldsIn } from "../stories/people.ts";
import { type rightPlace, without } from "./right-place.ts";

/** What is no credential of the service. */
const WRONG = "not-the-credential";
const DAY_MS = 86_400_000;
/** A machine that is busy is no service that hangs. */
const PATIENT_MS = 120_000;
/** The checks that no report on the organization area lacks. */
const ALWAYS = [
  "organizationId",
  "token endpoint",
  "administrator",
  "service account",
  "organization",
  "clock",
];
/** With the names of all variables that are set. */
const SOURCES = /^ok +sources: the environment has /;

type Place = Awaited<ReturnType<typeof rightPlace>>;
type Change = (rest: string) => Promise<unknown> | unknown;

export class Examination {
  readonly #place: Place;
  /** The lines that are not shown, because the report on a right place has them. */
  readonly #usual: readonly string[];
  readonly #folder = temporaryFolder();
  readonly #secrets: readonly string[];
  #environment: Record<string, string>;
  #options: Partial<DoctorOptions> = {};
  #server = "";

  constructor(place: Place, usual: readonly string[]) {
    this.#place = place;
    this.#usual = usual;
    this.#environment = { ...place.environment };
    const { password, apiKey = "", adminToken = "" } = place.sandbox.service.seed;
    const { ORGSEAT_CLIENT_SECRET: clientSecret = "" } = place.environment;
    this.#secrets = [password, apiKey, adminToken, clientSecret, WRONG].filter(Boolean);
  }

  /** @returns what came of a line */
  async line(text: string): Promise<readonly string[]> {
    const [word = "", rest = ""] = text.split(/ (.*)/s);
    if (text.startsWith("$ doctor")) return this.#report(text.includes("--verbose"));
    const change = this.#changes[word];
    if (change === undefined) throw new Error(`no such line: ${text}`);
    await change(this.#filled(rest));
    return [];
  }

  /** The report, in whose words and JSON no secret stands, and what it asked the service. */
  async #report(verbose: boolean): Promise<readonly string[]> {
    const { sandbox } = this.#place;
    const before = await this.#management.snapshot();
    await sandbox.requests();
    const report = await diagnose({
      ...{ environment: this.#environment, folder: this.#folder, totalMs: PATIENT_MS, verbose },
      ...this.#options,
    });
    const text = formatReport(report);
    for (const secret of this.#secrets.flatMap((one) => [one, encodeURIComponent(one)]))
      expect(text + JSON.stringify(report)).not.toContain(secret);
    expect(await this.#management.snapshot()).toEqual(before);
    const lines = [...this.#masked(text).split("\n"), ...askedIn(await sandbox.requests())];
    const checks = new Set(report.checks.map(({ check }) => check));
    const absent = ALWAYS.filter((name) => !checks.has(name));
    return [
      ...lines.filter((line) => line !== "" && !this.#isUsual(line)),
      ...(absent.length === 0 ? [] : [`without: ${absent.join(", ")}`]),
    ];
  }

  #isUsual(line: string): boolean {
    return (
      (!line.startsWith("asked: ") && this.#usual.includes(line)) ||
      (this.#usual.length > 0 && SOURCES.test(line))
    );
  }

  #masked(text: string): string {
    const { environment, folder, sandbox } = this.#place;
    const masks = [
      [this.#server, "<server>"],
      [new URL(sandbox.service.orgUrl).origin, "<service>"],
      [new URL(sandbox.service.modelUrl).origin, "<service>"],
      [environment.ORGSEAT_PULUMI_PATH, "<pulumi>"],
      [environment.ORGSEAT_ORGANIZATION_ID, "<organization>"],
      [this.#folder, "<folder>"],
      [folder, "<folder>"],
    ] as const;
    const masked = masks.reduce((all, [what = "", name]) => (what ? all.replaceAll(what, name) : all), text);
    return (
      masked
        .replaceAll(/(?<=<pulumi>, version )\S+/g, "<version>")
        .replaceAll(this.#subscription, "<end of subscription>")
        // The subscription ends at a fixed time of day.
        .replaceAll(/clock is \d+ days ahead/g, "clock is <days> ahead")
        .replaceAll(/(?<=client_id=)[-0-9a-f]{36}/g, "<client>")
        .replaceAll(/\(attempt \d+\)/g, "(attempt <n>)")
        .replaceAll(/\b\d+(\.\d+)? s\b/g, "<seconds>")
    );
  }

  #filled(text: string): string {
    const { organizationId, adminToken = "" } = this.#place.sandbox.service.seed;
    const values = {
      server: this.#server,
      organization: organizationId,
      "admin token": adminToken,
      wrong: WRONG,
    };
    return Object.entries(values)
      .reduce((all, [name, value]) => all.replaceAll(`<${name}>`, value), text)
      .replaceAll("\\n", "\n");
  }

  get #subscription(): string {
    return this.#place.sandbox.service.seed.subscriptionExpiresAt;
  }

  get #management() {
    return this.#place.sandbox.service.management;
  }

  /** Scripts in place of the CLI. */
  #pulumi(script: string): void {
    const file = join(this.#folder, "pulumi");
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    this.#environment.ORGSEAT_PULUMI_PATH = file;
  }

  readonly #changes: Readonly<Record<string, Change>> = {
    /** The variables of the area, with all of it right: `organization`, `model`, `both`, or `none`. */
    area: (which) => {
      const { environment, model } = this.#place;
      const areas: Readonly<Record<string, object>> = { model, none: {}, both: { ...environment, ...model } };
      this.#environment = { ...(areas[which] ?? environment) };
    },
    set: (rest) => {
      const [name = "", value = ""] = rest.split(/=(.*)/s);
      this.#environment[variable(name)] = value;
    },
    proxy: (value) => {
      this.#environment.HTTPS_PROXY = value;
    },
    /** Adds to the end of a value. */
    append: (rest) => {
      const [name = "", more = ""] = rest.split(/=(.*)/s);
      this.#environment[variable(name)] += more;
    },
    unset: (names) => {
      this.#environment = without(this.#environment, ...names.split(" ").map(variable));
    },
    /** Takes the rights of the administrator. */
    powerless: () =>
      this.#management.changeAdmin(this.#place.sandbox.service.seed.username, { admin: false }),
    database: (what) => this.#management.models.runVectorDatabase(what === "on"),
    switch: (rest) => this.#management.setSwitches(fieldsIn([rest])),
    /** `15 500`, with the body of the answer if need be, or `30 cut-before`. */
    fault: async (rest) => {
      const [, call, what, body] = /^(\d+) (\S+)(?: (.*))?$/.exec(rest) ?? [];
      const status = Number(what);
      const refusal = { kind: "refuse", status, ...(body && { body: JSON.parse(body) }) };
      const fault = Number.isNaN(status) ? { kind: what } : refusal;
      const rule = { match: { call: Number(call) }, times: "always", fault };
      await this.#management.addFaults(faultRuleSchema.parse(rule));
    },
    odd: (rest) =>
      this.#management.setOddItems(
        ...(rest === "none" ? [] : rest.split(" & ")).map((one) => {
          const [call, item = ""] = one.split(/ (.*)/);
          return { call: Number(call), item: JSON.parse(item) };
        }),
      ),
    /** Another server: `200 text/html <p>Welcome</p>` in answer to all, or one of these. */
    server: async (rest) => {
      const [, status, type, body = ""] = /^(\d+) (\S+) (.*)$/.exec(rest) ?? [];
      const odd = oddServers[rest];
      const listener: RequestListener =
        odd?.() ?? ((_, answer) => answer.writeHead(Number(status), { "content-type": type }).end(body));
      this.#server =
        rest === "unknown authority" ? await encrypted() : await listenOnLoopback(createServer(listener));
    },
    /** Days after the end of the subscription. */
    day: (days) => {
      const now = Date.parse(this.#subscription) + Number(days) * DAY_MS;
      const clock = { now: () => now, monotonic: () => performance.now(), sleep: () => Promise.resolve() };
      this.#options = { ...this.#options, clock };
    },
    project: () => writeFileSync(join(this.#folder, "Pulumi.yaml"), "name: acme\nruntime: nodejs\n"),
    stack: (stack) => {
      this.#options = { ...this.#options, stack };
    },
    /** The roster people.csv of stack `people`. */
    roster: async (text) => {
      const file = join(this.#folder, "people.csv");
      writeFileSync(file, text);
      const roster = await readRoster(file).catch((error: unknown) => {
        if (error instanceof RosterError) return error;
        throw error;
      });
      this.#options = { ...this.#options, stack: "people", roster };
    },
    /** A CLI of this version, which fails at all else with this error, or one that fails at all. */
    pulumi: (rest) => {
      const [version = "", error = "no stack selected"] = rest.split(/ (.*)/);
      if (version === "fails") this.#pulumi(`echo 'error: ${error}' >&2\nexit 1`);
      else this.#pulumi(`[ "$1" = version ] && echo ${version} && exit\necho "error: ${error}" >&2\nexit 1`);
    },
  };
}

function variable(name: string): string {
  return name.startsWith("PULUMI_") ? name : `ORGSEAT_${name}`;
}

/** A service of https alone, with a certificate of its own. */
async function encrypted(): Promise<string> {
  const service = await Service.start(() => ({}), undefined, makeCertificate("localhost"));
  onTestFinished(() => service[Symbol.asyncDispose]());
  return `https://localhost:${service.port}`;
}

const oddServers: Readonly<Record<string, () => RequestListener>> = {
  "that repeats what it was sent": () => async (request, answer) => {
    let body = "";
    for await (const piece of request) body += piece;
    answer.writeHead(401).end(JSON.stringify({ error: "no", error_description: body }));
  },
  /** Only when three requests are there is any of them answered. */
  "that waits for three": () => {
    const waiting: (() => void)[] = [];
    return (_, answer) => {
      waiting.push(() => answer.writeHead(503).end());
      if (waiting.length === 3) for (const go of waiting) go();
      else if (waiting.length > 3) answer.writeHead(503).end();
    };
  },
};

/** The calls by their credential; each is a GET or asks for a token. */
function askedIn(requests: readonly LoggedRequest[]): string[] {
  for (const { method, call } of requests) expect(call === "token" ? "GET" : method).toBe("GET");
  const groups = Map.groupBy(requests, ({ credential }) => credential);
  const parts = [...groups].map(
    ([credential, all]) => `${credential} ${[...new Set(all.map(({ call }) => call))].toSorted().join(" ")}`,
  );
  return [`asked: ${parts.toSorted().join("; ") || "nothing"}`];
}
