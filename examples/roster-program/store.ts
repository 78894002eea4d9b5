// Stands for the provider of your store: an entry is a file that only its owner can read.
import fs from "node:fs/promises";
import * as pulumi from "@pulumi/pulumi";

export interface Entry {
  readonly file: string;
  readonly token: string;
}

// Pulumi stores the source text of this object, and runs the stored text when it deletes an entry.
const provider: pulumi.dynamic.ResourceProvider<Entry, Entry> = {
  create: async (entry) => ({ id: entry.file, outs: await written(entry) }),
  update: async (_id, _before, entry) => ({ outs: await written(entry) }),
  delete: (file) => fs.rm(file, { force: true }),
  diff: async (_id, before, { file, token }) => ({
    changes: file !== before.file || token !== before.token,
    replaces: file === before.file ? [] : ["file"],
  }),
};

/** Writes the whole file or nothing, so no one reads half a token. */
async function written(entry: Entry): Promise<Entry> {
  const temporary = `${entry.file}.new`;
  await fs.writeFile(temporary, entry.token, { mode: 0o600 });
  await fs.rename(temporary, entry.file);
  return entry;
}

export class StoreEntry extends pulumi.dynamic.Resource {
  constructor(name: string, entry: { [Name in keyof Entry]: pulumi.Input<Entry[Name]> }) {
    super(provider, name, entry);
  }
}
