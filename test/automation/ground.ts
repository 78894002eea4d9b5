/** Random rosters at level E: the engine that people have, on an organization of a test's own. */
import { PulumiEngine } from "../../sdk/automation/engine/pulumi.ts";
import { Ground } from "../sdk/automation/ground.ts";
import type { TestEngine } from "../setup/project.ts";
import { testOrganization } from "./organization.ts";

/** @param seats that the organization has bought */
export async function engineGround(engine: TestEngine, seats: number): Promise<Ground> {
  const organization = await testOrganization(engine, { seats });
  const { sandbox, folder, file } = organization;
  const environment = organization.variables();
  return new Ground(sandbox, { engine: new PulumiEngine({ folder, environment }), environment, file });
}
