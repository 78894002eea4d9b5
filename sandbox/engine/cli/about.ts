/** `about`: what matters of the environment, for whoever has to find a fault. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { arch, hostname, platform, release, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { qualifiedName } from "../backend.ts";
import { table } from "../display/table.ts";
import { messageOf, UserError } from "../errors.ts";
import { outputFlags, refuseFlags, stackFlag, wantsJson } from "./flags.ts";
import { standInVersion } from "./general.ts";
import { LOG_FOLDERS } from "./log.ts";
import type { Action, GlobalOptions, Session } from "./session.ts";

interface AboutOptions extends GlobalOptions {
  json?: boolean;
  output?: string;
}

export function addAboutCommand(program: Command, act: Action): void {
  const about = program.command("about").description("print what matters of the environment");
  outputFlags(about)
    .option(...stackFlag)
    .action(act<AboutOptions>(describe));
  refuseFlags(about, { "--transitive": "`npm ls --all` lists what the dependencies depend on" });
}

type Summary = ReturnType<typeof summary>;

/** Each part by itself: one that cannot be had is left out, and the reason is told. */
function summary(session: Session) {
  const errors: string[] = [];
  const part = <Part>(failure: string, find: () => Part): Part | null => {
    try {
      return find();
    } catch (error) {
      errors.push(`${failure}: ${messageOf(error)}`);
      return null;
    }
  };
  const project = part("Failed to read project", () => session.project);
  const runtime =
    project && part("Failed to get information about the project runtime", () => nodeOf(session));
  return {
    plugins: project && [{ name: project.runtime.name, version: null, kind: "language" }],
    host: { os: platform(), version: release(), arch: arch() },
    backend: part("Could not access the backend", () => ({
      ...{ name: hostname(), url: session.backend.url, user: userInfo().username, organizations: null },
    })),
    currentStack: part("Failed to get information about the current stack", () => stackOf(session)),
    // No Go is in it; the fields are those of Pulumi's own.
    cliAbout: { version: standInVersion.slice(1), goVersion: "", goCompiler: "", node: process.version },
    runtime: runtime && { ...runtime, language: project.runtime.name },
    dependencies:
      project &&
      part("Failed to get information about the Pulumi program's dependencies", () =>
        dependenciesOf(project.root),
      ),
    errors,
  };
}

/** The Node that runs programs: the first on the PATH, which need not be this one. */
function nodeOf({ env }: Session): { executable: string; version: string } {
  const folder = (env.PATH ?? "").split(delimiter).find((one) => existsSync(join(one, "node")));
  if (folder === undefined) throw new UserError("there is no node on the PATH");
  const executable = join(folder, "node");
  return { executable, version: execFileSync(executable, ["--version"], { encoding: "utf8" }).trim() };
}

function stackOf(session: Session) {
  const name = session.options.stack === undefined ? session.currentStack() : session.stack();
  if (!name) throw new UserError("No current stack");
  const state = session.state(name);
  return {
    name: session.shown(name),
    fullyQualifiedName: qualifiedName(name),
    resources: (state?.resources ?? []).map(({ type, urn }) => ({ type, urn })),
    pendingOps: (state?.pending_operations ?? []).map(({ type, resource: { urn } }) => ({ type, urn })),
  };
}

const packageSchema = z.looseObject({
  version: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
});

function readPackage(folder: string): z.infer<typeof packageSchema> {
  return packageSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
}

/** The program's direct dependencies, in the version that is installed. */
function dependenciesOf(root: string): { name: string; version: string }[] {
  const { dependencies = {}, devDependencies = {} } = readPackage(root);
  return Object.entries({ ...devDependencies, ...dependencies })
    .map(([name, wanted]) => {
      const folder = join(root, "node_modules", name);
      const installed = existsSync(join(folder, "package.json")) ? readPackage(folder).version : undefined;
      return { name, version: installed ?? wanted };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function describe(session: Session, options: AboutOptions): void {
  const all = summary(session);
  if (wantsJson(options)) {
    session.line(JSON.stringify(all, null, 2));
    return;
  }
  for (const block of blocks(session, all)) session.line(`${block}\n`);
  session.line(`A log, where -v asks for one, is written to ${LOG_FOLDERS}<random>`);
  for (const error of all.errors) session.warn(error);
}

function* blocks({ env }: Session, all: Summary): Iterable<string> {
  const { cliAbout, plugins, host, runtime, currentStack, backend, dependencies } = all;
  yield table(
    ["CLI", ""],
    [
      ["Version", cliAbout.version],
      ["Node Version", cliAbout.node],
    ],
  );
  if (plugins) {
    const rows = plugins.map(({ kind, name }) => [kind, name, "unknown"]);
    yield `Plugins\n${table(["KIND", "NAME", "VERSION"], rows)}`;
  }
  yield table(["Host", ""], entries({ OS: host.os, Version: host.version, Arch: host.arch }));
  if (runtime) {
    const { language, executable, version } = runtime;
    yield `This project is written in ${language}: executable='${executable}' version='${version}'`;
  }
  if (currentStack) yield stackBlock(currentStack);
  if (backend) {
    const { name, url, user } = backend;
    yield table(["Backend", ""], entries({ Name: name, URL: url, User: user, "Token type": "personal" }));
  }
  const variables = Object.keys(env).filter((key) => key.startsWith("PULUMI_"));
  // Their values may be secrets.
  if (variables.length > 0)
    yield `Environment Variables:\n${variables
      .sort()
      .map((name) => `${name} is set`)
      .join("\n")}`;
  if (dependencies) {
    const rows = dependencies.map(({ name, version }) => [name, version]);
    yield rows.length > 0 ? `Dependencies:\n${table(["NAME", "VERSION"], rows)}` : "No dependencies found";
  }
}

function entries(record: Record<string, string>): string[][] {
  return Object.entries(record);
}

function stackBlock({
  name,
  fullyQualifiedName,
  resources,
  pendingOps,
}: NonNullable<Summary["currentStack"]>) {
  const rows = (list: { type: string; urn: string }[]) => list.map(({ type, urn }) => [type, urn]);
  const found =
    resources.length > 0
      ? table(["TYPE", "URN"], rows(resources))
      : `Found no resources associated with ${name}`;
  const pending =
    pendingOps.length > 0
      ? table(["OPP TYPE", "URN"], rows(pendingOps))
      : `Found no pending operations associated with ${name}`;
  return `Current Stack: ${fullyQualifiedName}\n\n${found}\n\n${pending}`;
}
