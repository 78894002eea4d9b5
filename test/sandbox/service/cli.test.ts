import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "./harness.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const launcher = join(root, "sandbox", "bin", "orgseat-sandbox.js");

function run(args: string[], cwd: string) {
  const child = spawn(process.execPath, [launcher, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe("orgseat-sandbox service", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "prints how to use it, serves, and ends cleanly on %s",
    async (signal) => {
      const folder = temporaryFolder();
      const child = run(["service", "--port", "0", "--management-port", "0"], folder);
      let output = "";
      for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
        output += chunk;
        if (output.includes("ORGSEAT_SEATS")) break;
      }
      const tokenUrl = /orgseat:tokenUrl (\S+)/.exec(output)?.[1] ?? "";
      expect(output).toContain("config set --secret orgseat:password ");
      expect(output).toContain("export ORGSEAT_ORG_URL=http://127.0.0.1:");
      expect(output).toContain("This is a sandbox");
      const setting = (key: string) => new RegExp(`ORGSEAT_${key}=(\\S+)`).exec(output)?.[1] ?? "";
      const forms = [
        { grant_type: "password", username: setting("USERNAME"), password: setting("PASSWORD") },
        {
          grant_type: "client_credentials",
          client_id: setting("CLIENT_ID"),
          client_secret: setting("CLIENT_SECRET"),
        },
      ];
      for (const form of forms) {
        const answer = await fetch(tokenUrl, { method: "POST", body: new URLSearchParams(form) });
        expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
      }
      child.kill(signal);
      expect(await once(child, "exit")).toEqual([0, null]);
      expect(await text(child.stderr)).toBe("");
      expect(existsSync(join(folder, ".orgseat", "service", "service.db"))).toBe(true);
    },
  );

  it("says in one sentence what is wrong with a port", async () => {
    const child = run(["service", "--port", "many"], temporaryFolder());
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(code).toBe(1);
    expect(said).toContain("a port is a number from 0 to 65535");
  });
});
