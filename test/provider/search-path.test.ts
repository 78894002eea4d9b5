import { describe, expect, test } from "vitest";
import { searchPath, withFolderFirst } from "../../provider/util/search-path.ts";

describe("the PATH", () => {
  test("is read on Windows in any letter case, with semicolons between folders", () => {
    for (const name of ["Path", "PATH", "path"]) {
      expect(searchPath({ [name]: "C:\\Node;;C:\\Program Files\\Pulumi" }, "win32")).toEqual([
        "C:\\Node",
        "C:\\Program Files\\Pulumi",
      ]);
    }
  });
  test("is PATH alone elsewhere, where a variable Path is another one", () => {
    expect(searchPath({ Path: "/wrong", PATH: "/usr/bin::/bin" }, "linux")).toEqual(["/usr/bin", "/bin"]);
    expect(searchPath({ Path: "/wrong" }, "darwin")).toEqual([]);
  });
  test("of several spellings is the one that Node takes on Windows", () => {
    expect(searchPath({ Path: "C:\\second", PATH: "C:\\first" }, "win32")).toEqual(["C:\\first"]);
  });
  test("with a folder first keeps the others, and has one spelling on Windows", () => {
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
