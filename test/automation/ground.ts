/** Random rosters at level E: an engine, the provider's process, and an organization of a test's own. */
import { standInCommand } from "../../sandbox/start/engine.ts";
import { PulumiEngine } from "../../sdk/automation/engine/pulumi.ts";
import { Ground } from "../sdk/automation/ground.ts";
import { HereEngine } from "../setup/here-engine.ts";
import type { TestEngine } from "../setup/project.ts";
import { testOrganization } from "./organization.ts";

/** @param seats that the organization has bought */
export async function engineGround(engine: TestEngine, seats: number): Promise<Ground> {
  const organization = await testOrganization(engine, { seats });
  const { sandbox, folder, file } = organization;
  const environment = organization.variables();
  const isStandIn = engine.command === standInCommand;
  return new Ground(sandbox, {
    engine: isStandIn ? new HereEngine(folder, environment) : new PulumiEngine({ folder, environment }),
    environment,
    file,
  });
}
