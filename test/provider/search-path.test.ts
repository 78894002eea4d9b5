import { describe, expect, test } from "vitest";
import { searchPath, withFolderFirst } from "../../provider/util/search-path.ts";

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
