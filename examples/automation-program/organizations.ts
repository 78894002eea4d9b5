import { type ConfigMap, LocalWorkspace, type Stack } from "@pulumi/pulumi/automation/index.js";
import { members } from "./members.ts";

interface Organization {
  /** The name of its stack. */
  readonly name: string;
  readonly people: Readonly<Record<string, string>>;
  readonly config: ConfigMap;
}

export const organizations: readonly Organization[] = [
  {
    name: "acme",
    people: { ada: "ada@acme.example", grace: "grace@acme.example" },
    config: settings("http://127.0.0.1:7747/api", process.env.ACME_CLIENT_SECRET),
  },
  {
    name: "labs",
    people: { hedy: "hedy@labs.example" },
    config: settings("http://127.0.0.1:7757/api", process.env.LABS_CLIENT_SECRET),
  },
];

/** Of a sandbox; examples/README.md says how to start both. */
function settings(service: string, secret = ""): ConfigMap {
  return {
    "orgseat:organizationId": { value: "00000000-0000-4000-8000-00000000acce" },
    "orgseat:platform": { value: "anaconda" },
    "orgseat:subscriptionExpiresAt": { value: "2027-11-21" },
    "orgseat:orgUrl": { value: `${service}/v1` },
    "orgseat:tokenUrl": { value: `${service}/iam/token` },
    "orgseat:clientId": { value: "00000000-0000-4000-8000-0000000c11e2" },
    "orgseat:clientSecret": { value: secret, secret: true },
  };
}

export async function open({ name, people, config }: Organization): Promise<Stack> {
  const stack = await LocalWorkspace.createOrSelectStack({
    projectName: "members",
    stackName: name,
    program: async () => members(people),
  });
  await stack.setAllConfig(config);
  return stack;
}
