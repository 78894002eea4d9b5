import { mkdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  downloadPulumi,
  findPulumi,
  homeFolder,
  searchPath,
  withFolderFirst,
} from "../../provider/util/search-path.ts";
import { npmPulumi } from "../setup/npm-pulumi.ts";
import { temporaryFolder } from "../setup/temporary.ts";

describe("the home folder", () => {
  test("comes from HOME, and the error asks for HOME if the system knows no other", () => {
    vi.spyOn(os, "homedir").mockImplementation(() => {
      throw new Error("A system error occurred: uv_os_homedir returned ENOENT");
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    expect(homeFolder({ HOME: "/home/ada" })).toBe("/home/ada");
    expect(() => homeFolder({})).toThrow(
      "cannot find your home folder: HOME is not set, and the system has no entry for this user. To go on, set HOME to a folder that you can write",
    );
  });
});

describe("the PATH", () => {
  test("takes any letter case on Windows, with semicolons between folders", () => {
    for (const name of ["Path", "PATH", "path"]) {
      expect(searchPath({ [name]: "C:\\Node;;C:\\Program Files\\Pulumi" }, "win32")).toEqual([
        "C:\\Node",
        "C:\\Program Files\\Pulumi",
      ]);
    }
  });
  test("takes PATH alone elsewhere, where a variable Path is another one", () => {
    expect(searchPath({ Path: "/wrong", PATH: "/usr/bin::/bin" }, "linux")).toEqual(["/usr/bin", "/bin"]);
    expect(searchPath({ Path: "/wrong" }, "darwin")).toEqual([]);
  });
  test("takes the spelling of several that Node takes on Windows", () => {
    expect(searchPath({ Path: "C:\\second", PATH: "C:\\first" }, "win32")).toEqual(["C:\\first"]);
  });
  test("keeps the others behind a folder put first, in one spelling on Windows", () => {
    expect(withFolderFirst({ Path: "C:\\a;C:\\b", HOME: "C:\\me" }, "C:\\new", "win32")).toEqual({
      HOME: "C:\\me",
      PATH: "C:\\new;C:\\a;C:\\b",
    });
    expect(withFolderFirst({ Path: "x", PATH: "/a" }, "/new", "linux")).toEqual({
      Path: "x",
      PATH: "/new:/a",
    });
    expect(withFolderFirst({}, "/new", "linux")).toEqual({ PATH: "/new" });
  });
});

describe.skipIf(process.platform === "win32")("the Pulumi CLI", () => {
  const CLI = "#!/bin/sh\necho v3.265.0\n";
  /** A folder with a CLI. */
  function plain(): string {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "pulumi"), CLI, { mode: 0o755 });
    return folder;
  }

  test("comes first on the PATH; what cannot run does not count", () => {
    const [broken, first, second] = [temporaryFolder(), plain(), plain()];
    writeFileSync(join(broken, "pulumi"), "");
    mkdirSync(join(temporaryFolder(), "pulumi"));
    expect(findPulumi({ PATH: [broken, first, second].join(":") })).toEqual({
      file: join(first, "pulumi"),
      isFirst: true,
    });
    expect(findPulumi({ PATH: broken })).toBeUndefined();
  });

  test.each([false, true])(
    "comes from npm's package on the PATH, by a link or a script (%s)",
    async (isShim) => {
      const npm = npmPulumi(CLI, { isShim });
      const environment = { ...npm.environment, PATH: `${npm.bin}:${plain()}:/usr/bin:/bin` };
      const found = findPulumi(environment);
      expect(found).toEqual({ file: npm.file, downloader: npm.program });
      if (found === undefined || "problem" in found) throw new Error("none");
      await downloadPulumi(found, environment);
      await downloadPulumi(found, environment);
      expect(npm.starts()).toBe(1);
      expect(findPulumi(environment)).toEqual({ file: npm.file });
    },
  );

  test("comes from npm's package in the project's folder or above it before the PATH", () => {
    const npm = npmPulumi(CLI);
    const below = join(npm.folder, "a", "b");
    mkdirSync(below, { recursive: true });
    const environment = { ...npm.environment, PATH: plain() };
    for (const folder of [npm.folder, below])
      expect(findPulumi(environment, [folder])).toEqual({ file: npm.file, downloader: npm.program });
    expect(findPulumi(environment, [temporaryFolder()])).toMatchObject({ isFirst: true });
  });

  test("comes from ORGSEAT_PULUMI_PATH before all others, or is a problem", () => {
    const npm = npmPulumi(CLI);
    const named = join(plain(), "pulumi");
    const environment = { ...npm.environment, PATH: plain() };
    expect(findPulumi({ ...environment, ORGSEAT_PULUMI_PATH: named }, [npm.folder])).toEqual({ file: named });
    const ofNpm = { ...environment, ORGSEAT_PULUMI_PATH: npm.program };
    expect(findPulumi(ofNpm)).toEqual({ file: npm.file, downloader: npm.program });
    expect(findPulumi({ ...environment, ORGSEAT_PULUMI_PATH: `${named}/x` }, [npm.folder])).toMatchObject({
      problem: expect.stringContaining("does not exist"),
    });
  });

  test("ends its download at once if the command is stopped", async () => {
    const folder = temporaryFolder();
    const downloader = join(folder, "pulumi");
    writeFileSync(downloader, "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
    const stop = new AbortController();
    const found = { file: join(folder, "cli"), downloader };
    const download = downloadPulumi(found, { PATH: "/usr/bin:/bin" }, stop.signal);
    stop.abort();
    await expect(download).rejects.toThrow("cancelled while the Pulumi CLI was downloaded");
  });

  test("fails with what to do if npm's package cannot download it", async () => {
    const npm = npmPulumi(CLI);
    npm.goOffline();
    const download = downloadPulumi({ file: npm.file, downloader: npm.program }, { PATH: "/usr/bin:/bin" });
    await expect(download).rejects.toThrow(
      `npm's package pulumi cannot download the Pulumi CLI to ${npm.file}. Check the connection`,
    );
  });
});
