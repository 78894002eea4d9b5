/** The release notes: the section of a version in CHANGELOG.md. */

const PAGES = "https://github.com/orgseat/orgseat/blob";

/** @throws if the changelog has no section of the version, or an empty one */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((one) => one.startsWith(`[${version}]`));
  const text = section?.slice(section.indexOf("\n")).trim();
  if (!text)
    throw new Error(`CHANGELOG.md has no section of ${version}. Write one: ## [${version}] - YYYY-MM-DD`);
  // Where the notes are shown, a path leads nowhere.
  return `${text.replaceAll(/\]\((?!\w+:)([^)]+)\)/g, `](${PAGES}/v${version}/$1)`)}\n`;
}

/** The day of a version's section, as it is written there; undefined if it has none yet. */
export function dayOf(changelog: string, version: string): string | undefined {
  const heading = changelog.split("\n").find((line) => line.startsWith(`## [${version}]`));
  return /- (\d{4}-\d{2}-\d{2})$/.exec(heading ?? "")?.[1];
}
