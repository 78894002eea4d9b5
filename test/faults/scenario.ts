/** An organization right before the run that changes everything in it, with its state in a folder or in a bucket. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { runningOrganization, type TestOrganization } from "../automation/organization.ts";
import { full, seed } from "../setup/cases.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { Bucket } from "./bucket.ts";
import { everyWrite } from "./completion.ts";

const both = ["basic", "anaconda"] as const;
export type Platform = (typeof both)[number];
/** The full run has both, the others one that the seed chooses: each case is several runs of Pulumi. */
export const platforms = both.filter((_, index) => full || (index + seed) % both.length === 0);

/** At the end of a run, this many of its writes to files can be fewer or more than in another one. */
export const VARYING = 20;

export async function begun(platform: Platform): Promise<TestOrganization> {
  const acme = await runningOrganization(everyWrite.before, { seats: 4 }, { seats: 4 }, platform);
  acme.write(everyWrite.after, everyWrite.header);
  return acme;
}

export async function begunInBucket(
  platform: Platform,
): Promise<{ readonly acme: TestOrganization; readonly bucket: Bucket }> {
  const acme = await begun(platform);
  const objects = temporaryFolder();
  cpSync(join(acme.folder, "state"), objects, {
    recursive: true,
    // The attributes of a folder's objects.
    filter: (file) => !file.endsWith(".attrs"),
  });
  const bucket = await Bucket.over(objects);
  Object.assign(acme.environment, {
    PULUMI_BACKEND_URL: bucket.url,
    AWS_ACCESS_KEY_ID: "for-tests",
    AWS_SECRET_ACCESS_KEY: "for-tests",
  });
  acme.stateFile = join(objects, ".pulumi/stacks/orgseat/people.json");
  return { acme, bucket };
}
