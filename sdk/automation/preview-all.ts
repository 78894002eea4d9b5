/** `orgseat preview` of a whole organization: whoever `up` moves to another stack first is looked at where they are. */
import type { Organization } from "./organization.ts";
import { type Preview, type PreviewOptions, previewOf } from "./preview.ts";
import { ShardMismatch } from "./reshard.ts";
import { type Move, type Placement, placePeople } from "./shard-placement.ts";

export async function previewAll(organization: Organization, options: PreviewOptions): Promise<Preview> {
  try {
    return await previewOf(organization, options);
  } catch (error) {
    if (!(error instanceof ShardMismatch)) throw error;
    return previewPlaced(await placePeople(organization), options);
  }
}

/** @param where everybody is */
export async function previewPlaced(
  { organization, moves }: Placement,
  options: PreviewOptions,
): Promise<Preview> {
  return { ...(await previewOf(organization, options)), moving: keysOf(moves) };
}

export function keysOf(moves: readonly Move[]): string[] {
  return [...new Set(moves.map(({ key }) => key))];
}
