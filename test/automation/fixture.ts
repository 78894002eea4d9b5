/** Rosters at level E: an engine, the provider's process, and an organization of a test's own. */
import { PulumiEngine } from "../../sdk/automation/engine/pulumi.ts";
import { Fixture } from "../sdk/automation/fixture.ts";
import type { TestEngine } from "../setup/project.ts";
import { testOrganization } from "./organization.ts";

/** @param seats that the organization has bought */
export async function engineFixture(engine: TestEngine, seats: number): Promise<Fixture> {
  const organization = await testOrganization(engine, { seats });
  const { sandbox, folder, file } = organization;
  const environment = organization.variables();
  return new Fixture(sandbox, { engine: new PulumiEngine({ folder, environment }), environment, file });
}
