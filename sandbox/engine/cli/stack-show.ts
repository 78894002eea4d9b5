/** `stack`: what the stack consists of, as a tree or as JSON. */
import { hostname } from "node:os";
import type { StackName } from "../backend.ts";
import type { DeploymentJson } from "../deployment/checkpoint.ts";
import type { ResourceJson } from "../deployment/state.ts";
import { ago, table } from "../display/table.ts";
import { parseUrn } from "../urn.ts";
import { wantsJson } from "./flags.ts";
import type { GlobalOptions, Session } from "./session.ts";
import { outputLines, shownOutputs } from "./stack-outputs.ts";

export interface DescribeOptions extends GlobalOptions {
  json?: boolean;
  output?: string;
  showSecrets?: boolean;
  showName?: boolean;
  showIds?: boolean;
  showUrns?: boolean;
}

export async function describeStack(session: Session, options: DescribeOptions): Promise<void> {
  const name = session.stack();
  if (options.showName) {
    session.line(options.fullyQualifyStackNames ? session.shown(name) : name.stack);
    return;
  }
  const state = session.state(name);
  const outputs = await shownOutputs(session, name, options.showSecrets === true);
  if (wantsJson(options)) {
    session.line(JSON.stringify(asJson(name, state, outputs), null, 2));
    return;
  }
  session.line(`Current stack is ${session.shown(name)}:`);
  session.line(`    Managed by ${hostname()}`);
  if (state) {
    const updated = new Date(state.manifest.time);
    session.line(`    Last updated: ${ago(updated, new Date())} (${updated.toISOString()})`);
    session.line(`    Pulumi version used: ${state.manifest.version}`);
  } else session.line("    No updates yet; run `pulumi up`");
  const resources = state?.resources ?? [];
  session.line(`Current stack resources (${resources.length}):`);
  if (resources.length === 0) session.line("    No resources currently in this stack");
  else {
    for (const line of tree(resources, options)) session.line(line);
    session.line();
    session.line(outputLines(outputs));
  }
  session.line();
  session.line("Use `pulumi stack select` to change stack; `pulumi stack ls` lists known ones");
}

function asJson(
  { project, stack }: StackName,
  state: DeploymentJson | undefined,
  outputs: Record<string, unknown>,
) {
  const resources = (state?.resources ?? []).map(({ urn, type, id, parent }) => ({
    ...{ urn, type, name: parseUrn(urn).name },
    ...(id && { id }),
    ...(parent && { parent }),
  }));
  const manifest = state && {
    time: new Date(state.manifest.time).toISOString(),
    pulumiVersion: state.manifest.version,
  };
  return {
    ...{ project, stack, backend: hostname(), tags: {} },
    ...(manifest && { manifest }),
    ...{ resources, outputs },
  };
}

interface Row {
  branch: string;
  resource: ResourceJson;
  /** Lines below it begin with this. */
  below: string;
}

/** The resources under their parents; where there is no stack among them, one below the other. */
function tree(resources: ResourceJson[], { showUrns, showIds }: DescribeOptions): string[] {
  const root = resources.find(({ type, parent }) => type === "pulumi:pulumi:Stack" && !parent);
  const rows: Row[] = root
    ? [...branches(root, resources, "", "")]
    : resources.map((resource) => ({ branch: "", resource, below: "    " }));
  const [header = "", ...lines] = table(
    ["TYPE", "NAME"],
    rows.map(({ branch, resource }) => [branch + resource.type, parseUrn(resource.urn).name]),
    "    ",
  ).split("\n");
  return [
    header,
    ...rows.flatMap(({ resource, below }, index) => [
      lines[index] ?? "",
      ...(showUrns ? [`    ${below}URN: ${resource.urn}`] : []),
      ...(showIds && resource.id ? [`    ${below}ID: ${resource.id}`] : []),
    ]),
  ];
}

function* branches(
  resource: ResourceJson,
  all: ResourceJson[],
  padding: string,
  branch: string,
): Iterable<Row> {
  const isRoot = branch === "";
  const children = all.filter((one) => one !== resource && one.parent === resource.urn);
  // What has no parent hangs below the stack.
  if (isRoot) children.push(...all.filter((one) => one !== resource && !one.parent));
  const inner = padding + { "├─ ": "│  ", "└─ ": "   ", "": "" }[branch];
  yield { branch: padding + branch, resource, below: inner + (children.length > 0 ? "│  " : "   ") };
  for (const [index, child] of children.entries())
    yield* branches(child, all, inner, index === children.length - 1 ? "└─ " : "├─ ");
}
