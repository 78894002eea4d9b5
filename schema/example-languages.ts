/** How each language of Pulumi writes an example: declarations with literal arguments, and one output of the last. */
import { stringify } from "yaml";
import {
  block,
  declarationsIn,
  type Entries,
  type Example,
  type Forms,
  indented,
  isList,
  isReference,
  pascal,
  snake,
  type Types,
  type Value,
} from "./example-forms.ts";

interface Language {
  readonly fence: string;
  program(example: Example, types: Types): string;
}

/** An object in braces. */
function braces(keyOf: (key: string) => string): Forms["object"] {
  return (entries) =>
    block(
      "{",
      entries.map(([key, text]) => `${keyOf(key)}: ${text},`),
      "}",
    );
}

const typescriptForms: Forms = {
  text: (value) => JSON.stringify(value),
  flag: String,
  choice: (_, value) => JSON.stringify(value),
  userId: (name) => `${name}.userId`,
  list: (items) =>
    items.some((item) => item.includes("\n"))
      ? block(
          "[",
          items.map((one) => `${one},`),
          "]",
        )
      : `[${items.join(", ")}]`,
  object: braces((key) => key),
};

const typescript: Language = {
  fence: "typescript",
  program: (example, types) => {
    const lines = declarationsIn(typescriptForms, example, types).flatMap(
      ({ name, type, args, output, isLookup }) => {
        const given = typescriptForms.object(args, "");
        const made = isLookup
          ? `orgseat.${type}Output(${given})`
          : `new orgseat.${type}("${name}", ${given})`;
        return [
          `const ${name} = ${made};`,
          ...(output ? [`export const ${output === name ? "result" : output} = ${name}.${output};`] : []),
        ];
      },
    );
    return `import * as orgseat from "@orgseat/plugin";\n\n${lines.join("\n")}\n`;
  },
};

const pythonForms: Forms = {
  ...typescriptForms,
  flag: (value) => pascal(String(value)),
  userId: (name) => `${snake(name)}.user_id`,
  object: braces((key) => `"${snake(key)}"`),
};

const python: Language = {
  fence: "python",
  program: (example, types) => {
    const lines = declarationsIn(pythonForms, example, types).flatMap(
      ({ name, type, args, output, isLookup }) => {
        const given = args.map(([key, text]) => `${snake(key)}=${text}`);
        const made = isLookup
          ? block(
              `orgseat.${snake(type)}_output(`,
              given.map((one) => `${one},`),
              ")",
            )
          : block(
              `orgseat.${type}(`,
              [`"${name}"`, ...given].map((one) => `${one},`),
              ")",
            );
        return [
          `${snake(name)} = ${made}`,
          ...(output ? [`pulumi.export("${output}", ${snake(name)}.${snake(output)})`] : []),
        ];
      },
    );
    return `import pulumi\nimport pulumi_orgseat as orgseat\n\n${lines.join("\n")}\n`;
  },
};

const goForms: Forms = {
  text: (value, { plain }) => (plain ? JSON.stringify(value) : `pulumi.String(${JSON.stringify(value)})`),
  flag: (value, { plain }) => (plain ? String(value) : `pulumi.Bool(${value})`),
  choice: (set, value) => `orgseat.${set}${pascal(value)}`,
  userId: (name) => `${name}.UserId`,
  list: (items, { items: of }) => {
    const name = of?.$ref?.split(":").at(-1);
    return block(
      name ? `orgseat.${name}Array{` : "pulumi.StringArray{",
      items.map((one) => `${one},`),
      "}",
      "\t",
    );
  },
  object: (entries, name) => goStruct(`&orgseat.${name}Args`, entries),
};

/** With the values in one column, as gofmt writes them: up to a value of several lines. */
function goStruct(open: string, entries: Entries): string {
  const groups: [string, string][][] = [[]];
  for (const [key, text] of entries) {
    groups.at(-1)?.push([`${pascal(key)}:`, text]);
    if (text.includes("\n")) groups.push([]);
  }
  const lines = groups.flatMap((group) => {
    const singles = group.filter(([, text]) => !text.includes("\n"));
    const width = Math.max(0, ...singles.map(([key]) => key.length));
    return group.map(([key, text]) => `${text.includes("\n") ? key : key.padEnd(width)} ${text},`);
  });
  return block(`${open}{`, lines, "}", "\t");
}

const go: Language = {
  fence: "go",
  program: (example, types) => {
    const lines = declarationsIn(goForms, example, types).flatMap(
      ({ name, type, args, output, isLookup }) => {
        const property = output && pascal(output);
        if (isLookup)
          return [
            `${name} := orgseat.${pascal(type)}Output(ctx, ${goStruct(`orgseat.${pascal(type)}OutputArgs`, args)})`,
            `ctx.Export("${output}", ${name}.${property}())`,
          ];
        const made = `orgseat.New${type}(ctx, "${name}", ${goStruct(`&orgseat.${type}Args`, args)})`;
        return [
          `${name}, err := ${made}`,
          "if err != nil {\n\treturn err\n}",
          ...(output ? [`ctx.Export("${output}", ${name}.${property})`] : []),
        ];
      },
    );
    const imports = [
      "github.com/orgseat/orgseat/sdk/go/orgseat",
      "github.com/pulumi/pulumi/sdk/v3/go/pulumi",
    ];
    const body = [...lines, "return nil"].map((line) => indented(line, "\t\t")).join("\n");
    const main = `func main() {\n\tpulumi.Run(func(ctx *pulumi.Context) error {\n${body}\n\t})\n}`;
    return `package main\n\nimport (\n${imports.map((one) => `\t"${one}"\n`).join("")})\n\n${main}\n`;
  },
};

const csharpForms: Forms = {
  ...typescriptForms,
  choice: (set, value) => `Plugin.${set}.${pascal(value)}`,
  userId: (name) => `${name}.UserId`,
  list: (items) =>
    block(
      "new[]\n{",
      items.map((one) => `${one},`),
      "}",
    ),
  object: (entries, name) => csharpObject(`new Plugin.Inputs.${name}Args`, entries),
};

function csharpObject(open: string, entries: Entries): string {
  return block(
    `${open}\n{`,
    entries.map(([key, text]) => `${pascal(key)} = ${text},`),
    "}",
  );
}

const csharp: Language = {
  fence: "csharp",
  program: (example, types) => {
    const lines = declarationsIn(csharpForms, example, types).flatMap(
      ({ name, type, args, output, isLookup }) => {
        const given = args.length === 0 ? "new()" : csharpObject("new()", args);
        const made = isLookup
          ? `Plugin.${pascal(type)}.Invoke(${given})`
          : `new Plugin.${type}("${name}", ${given})`;
        const value =
          output &&
          (isLookup ? `${name}.Apply(result => result.${pascal(output)})` : `${name}.${pascal(output)}`);
        return [
          `var ${name} = ${made};`,
          ...(value
            ? [block("return new Dictionary<string, object?>\n{", [`["${output}"] = ${value},`], "};")]
            : []),
        ];
      },
    );
    const uses = ["using System.Collections.Generic;", "using Pulumi;", "using Plugin = Orgseat.Plugin;"];
    return `${uses.join("\n")}\n\nreturn await Deployment.RunAsync(() =>\n{\n${indented(lines.join("\n"))}\n});\n`;
  },
};

const javaForms: Forms = {
  ...typescriptForms,
  choice: (set, value) => `${set}.${pascal(value)}`,
  userId: (name) => `${name}.userId()`,
  // A builder takes the items one by one.
  list: (items) => items.join(", "),
  object: (entries, name) => javaBuilder(name, entries),
};

function javaBuilder(name: string, entries: Entries): string {
  const calls = [...entries.map(([key, text]) => `.${key}(${text})`), ".build()"];
  return `${name}Args.builder()${entries.length === 0 ? calls.join("") : `\n${indented(calls.join("\n"))}`}`;
}

const java: Language = {
  fence: "java",
  program: (example, types) => {
    const lines = declarationsIn(javaForms, example, types).flatMap(
      ({ name, type, args, output, isLookup }) => {
        const given = javaBuilder(isLookup ? pascal(type) : type, args);
        const made = isLookup ? `OrgseatFunctions.${type}(${given})` : `new ${type}("${name}", ${given})`;
        const value =
          output && (isLookup ? `${name}.applyValue(result -> result.${output}())` : `${name}.${output}()`);
        return [`var ${name} = ${made};`, ...(value ? [`ctx.export("${output}", ${value});`] : [])];
      },
    );
    const uses = [
      "com.pulumi.Pulumi",
      "io.github.orgseat.plugin.*",
      "io.github.orgseat.plugin.enums.*",
      "io.github.orgseat.plugin.inputs.*",
    ];
    const main = block(
      "public static void main(String[] args) {",
      [block("Pulumi.run(ctx -> {", lines, "});")],
      "}",
    );
    return `${uses.map((one) => `import ${one};\n`).join("")}\n${block("public class App {", [main], "}")}\n`;
  },
};

const yaml: Language = {
  fence: "yaml",
  program: ({ declared, output }) => {
    const plain = (value: Value): unknown => {
      if (typeof value !== "object") return value;
      if (isList(value)) return value.map(plain);
      if (isReference(value)) return `\${${value.userOf}.userId}`;
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
    };
    const resources = declared.filter(([, type]) => !type.startsWith("get"));
    const lookups = declared.filter(([, type]) => type.startsWith("get"));
    const made = resources.map(([name, type, args]) => [
      name,
      { type: `orgseat:${type}`, properties: plain(args) },
    ]);
    const found = lookups.map(([name, type, args]) => [
      name,
      { "fn::invoke": { function: `orgseat:${type}`, arguments: plain(args) } },
    ]);
    const last = declared.at(-1)?.[0] ?? "";
    return stringify({
      ...(found.length > 0 && { variables: Object.fromEntries(found) }),
      ...(made.length > 0 && { resources: Object.fromEntries(made) }),
      outputs: { [output]: `\${${last}.${output}}` },
    });
  },
};

export const languages: readonly Language[] = [typescript, python, go, csharp, java, yaml];
