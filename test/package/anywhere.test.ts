// @module-tag ci
/** The command of a package that is installed in no project, on a roster in a folder without any package. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Row, TestOrganization } from "../automation/organization.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { commandOf, runIn } from "./install.ts";

const ada: Row = { email: "ada@acme.example" };
const grace: Row = { email: "grace@acme.example" };

describe("orgseat without node_modules beside the roster", () => {
  test.each([
    ["installed globally", "global"],
    ["run by npx", "cached"],
  ] as const)("lets people join and leave, wherever it is called: %s", async (_, place) => {
    const folder = temporaryFolder();
    // The real CLI wants the folder of its backend to be there.
    mkdirSync(join(folder, "state"));
    const acme = await TestOrganization.open(folder);
    const command = await commandOf(place);
    const elsewhere = temporaryFolder();
    const orgseat = (...args: string[]) =>
      runIn(elsewhere, process.execPath, [command, ...args, "--roster", acme.file], acme.variables());

    acme.write([ada, grace]);
    const up = await orgseat("up", "--yes");
    expect(up, up.output).toMatchObject({ code: 0 });
    expect(await acme.members()).toMatchObject({
      "ada@acme.example": { seat: true, token: expect.any(String) },
      "grace@acme.example": { seat: true, token: expect.any(String) },
    });
    acme.write([ada]);
    const left = await orgseat("up", "--yes");
    expect(left, left.output).toMatchObject({ code: 0 });
    expect(Object.keys(await acme.members())).toEqual(["ada@acme.example"]);
  });
});
