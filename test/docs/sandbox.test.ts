/** docs/internal/sandbox.md: the requests to the management side work. */
import { expect, test } from "vitest";
import { sandbox } from "../setup/sandbox.ts";
import { page } from "./pages.ts";

test("each curl command of docs/internal/sandbox.md works", async () => {
  const { service, organizationId } = await sandbox({ dataSet: "lanternfield" });
  const before = await service.management.snapshot();
  const words: Readonly<Record<string, string | undefined>> = {
    "organization id": organizationId,
    "user id": before.users[0]?.userId,
    "token id": before.tokens[0]?.tokenId,
    "server id": before.servers.find(({ status }) => status === "stopped")?.serverId,
  };
  const lines = [
    ...page("docs/internal/sandbox.md").matchAll(
      /^curl (?:-X (\w+) )?\$M((?:<[\w ]+>|[^\s<])*)(?: -d '(.+?)')?/gm,
    ),
  ];
  expect(lines).toHaveLength(21);
  for (const [line, method = "GET", path = "", body = null] of lines) {
    const url = service.managementUrl + path.replace(/<([\w ]+)>/g, (_, word) => words[word] ?? "unknown");
    const answer = await fetch(url, { method, body });
    expect(answer.ok, `${line}: ${answer.status} ${await answer.text()}`).toBe(true);
  }
  const { organizations, servers } = before;
  expect(await service.management.snapshot(), "reset").toMatchObject({ organizations, servers });
});
