/**
 * VectorTable: a table of the vector database (list, create and delete table). Id: the table's name. The API cannot
 * change a table (D28): a changed name or schema is a validation error. If the API can delete tables, removal deletes
 * or keeps the table, according to `onDelete`; otherwise it only removes the table from the state, with a warning. The rows of
 * `data` are sent once, when the table is created.
 */

import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { tableNameSchema, tableSchemaSchema } from "../../api/schemas/model-schemas.ts";
import { CodedError } from "../../util/error-codes.ts";
import { changedKeys, inputIssue } from "../changes.ts";
import type { CallContext, ModelAccess, PlanContext } from "../contexts.ts";
import { claimObject, isOwnedByAnother, newInstance, ownershipOutputs } from "../ownership.ts";
import {
  apiKeyCredentialsSchema,
  commonOutputs,
  type InputIssue,
  type ResourceDefinition,
} from "../resource.ts";
import { STATE_VERSION } from "../resource-types.ts";
import { known, unknown } from "../unknown.ts";
import { rowsSchema, stashedRows, stashRows } from "./rows.ts";
import { createOrAdoptTable, deleteTable, isUnreadable, sharedTables, tableFields } from "./table-calls.ts";

const text = z.string().regex(/\S/, "empty");
const columnSchema = z.strictObject({
  name: text.max(63, "a column name can have at most 63 characters"),
  type: text,
  constraints: z.array(text).optional(),
});
const schemaSchema = z.strictObject({
  columns: z.array(columnSchema).superRefine((columns, context) => {
    columns.forEach(({ name }, index) => {
      if (columns.findIndex((column) => column.name === name) === index) return;
      context.addIssue({ code: "custom", path: [index, "name"], message: "another column has this name" });
    });
  }),
});

const ON_DELETE =
  'set what happens to the table on removal: "delete" deletes it with its rows, "retain" leaves it';
const inputs = {
  name: tableNameSchema,
  schema: schemaSchema.optional(),
  data: rowsSchema.optional(),
  adopt: z.boolean().optional(),
  onDelete: z.enum(["delete", "retain"], ON_DELETE).optional(),
  credentials: apiKeyCredentialsSchema.optional(),
};
const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  ...ownershipOutputs,
  adopted: z.boolean(),
  numRows: z.number().nullable(),
  actualSchema: tableSchemaSchema.nullable(),
});
const inputsSchema = z.object(inputs);
type VectorTableInputs = z.output<typeof inputsSchema>;
type VectorTableOutputs = z.output<typeof outputs>;
type ServiceFields = Pick<VectorTableOutputs, "adopted" | "numRows" | "actualSchema" | "instance">;

export const vectorTableDefinition: ResourceDefinition<VectorTableInputs, VectorTableOutputs> = {
  name: "VectorTable",
  area: "model",
  inputs,
  outputs,
  stableOutputs: ["adopted", "numRows", "actualSchema"],
  identity: [],

  complete(news, context) {
    const { data } = news;
    return data === undefined || data === unknown ? news : { ...news, data: stashRows(data, context) };
  },

  check(news, olds, context) {
    if (olds === undefined && known(news.adopt)) {
      context.diagnostics.info(
        `VectorTable ${known(news.name) ?? "(not known yet)"}: an existing table with this name is adopted as it is.`,
      );
    }
    return [
      ...(olds === undefined ? refuseNoColumns(news) : refuseChanges(news, olds, context)),
      ...checkOnDelete(news, context),
    ];
  },

  diff(id, olds, news, context) {
    claimObject(context, "VectorTable", id, olds);
    const given = known(news.data);
    const otherData = given !== undefined && stashRows(given, context) !== olds.data;
    if (otherData) {
      context.diagnostics.warn(
        `VectorTable ${id}: \`data\` has changed, but rows are sent only when the table is created. The table keeps its rows. You can omit \`data\` from now on.`,
      );
    }
    const otherSchema = news.schema === unknown || changedPlaces(olds.schema, news.schema).length > 0;
    const changed = changedKeys(olds, news, ["name", "adopt", "onDelete", "credentials"]);
    return {
      changes: otherSchema || otherData || changed.length > 0,
      replaces: [],
    };
  },

  async create(news, context) {
    const rows = news.data === undefined ? undefined : stashedRows(news.data, context);
    const made = await createOrAdoptTable(news, rows, context);
    const outs = outsOf(news, undefined, { ...made, instance: newInstance() }, context);
    claimObject(context, "VectorTable", news.name, outs);
    return { id: news.name, outs };
  },

  async find(id, given, context) {
    const table = await findTable(id, given, context);
    if (table === undefined) return undefined;
    if (isUnreadable(table))
      throw new CodedError("cannot-adopt", `cannot import the table ${id}: ${UNREADABLE}`);
    const onDelete = context.can.canDeleteTables ? ("retain" as const) : undefined;
    const service = { ...tableFields(table), adopted: true, instance: newInstance() };
    return outsOf({ onDelete, ...given, name: id }, undefined, service, context);
  },

  async read(id, outs, context) {
    const table = await findTable(id, outs, context);
    if (table && isUnreadable(table))
      context.diagnostics.warn(`VectorTable ${id} is not refreshed: ${UNREADABLE}.`);
    return (
      table && {
        ...outs,
        numRows: table.numRows ?? outs.numRows,
        actualSchema: table.schema ?? outs.actualSchema,
      }
    );
  },

  async update(_id, olds, news, context) {
    const { adopted, numRows, actualSchema, instance } = olds;
    return outsOf(news, olds.data, { adopted, numRows, actualSchema, instance }, context);
  },

  async delete(id, outs, context) {
    if (isOwnedByAnother(context, "VectorTable", id, outs)) return "kept";
    if (outs.onDelete === "delete") return deleteTable(id, outs, context);
    context.diagnostics.warn(
      context.can.canDeleteTables && outs.onDelete === "retain"
        ? `VectorTable ${id} is retained: the table stays in the vector database with its rows.`
        : `VectorTable ${id} is removed from the state: the API cannot delete tables, so it stays in the vector database with its rows. Drop it there if you do not need it.`,
    );
    return "kept";
  },
};

const UNREADABLE = "the service lists tables in a form that orgseat does not know";

/** The listed table; one in an unknown form where any of them can be it. */
async function findTable(id: string, owner: ModelAccess, context: CallContext) {
  const tables = await sharedTables.once(owner, context);
  return tables.find(({ name }) => name === id) ?? tables.find(isUnreadable);
}

/** @param earlier the hash of the previous rows, for a program that omits them now */
function outsOf(
  news: VectorTableInputs,
  earlier: VectorTableInputs["data"],
  service: ServiceFields,
  context: PlanContext,
): VectorTableOutputs {
  const data = news.data === undefined ? earlier : stashRows(news.data, context);
  return { ...news, data, stateVersion: STATE_VERSION, ...service };
}

type Checked = Parameters<typeof vectorTableDefinition.check>[0];

function refuseNoColumns({ schema }: Checked): InputIssue[] {
  if (known(schema)?.columns.length !== 0) return [];
  return [
    inputIssue(
      "schema.columns",
      "a table needs at least one column, and the API cannot add one later. Set the columns, or omit `schema` to let the service decide",
    ),
  ];
}

/** No default: a deleted table is lost with its rows, and a kept one is easily forgotten. */
function checkOnDelete({ onDelete }: Checked, { can }: PlanContext): InputIssue[] {
  if (can.canDeleteTables) return onDelete === undefined ? [inputIssue("onDelete", ON_DELETE)] : [];
  if (onDelete !== "delete") return [];
  return [
    inputIssue(
      "onDelete",
      'this service (orgseat:platform) cannot delete tables. Remove this input, or set "retain"',
    ),
  ];
}

function refuseChanges(news: Checked, olds: Partial<VectorTableInputs>, { can }: PlanContext): InputIssue[] {
  const name = known(news.name);
  if (name !== undefined && olds.name !== undefined && name !== olds.name) {
    return [
      inputIssue(
        "name",
        `the table is named ${olds.name}, and the API cannot ${can.canDeleteTables ? "rename" : "rename or delete"} a table. Keep this name; for another table, declare another VectorTable`,
      ),
    ];
  }
  if (news.schema === unknown) return [];
  const reason = `the table ${olds.name ?? ""} was created with a different value, and the API cannot change a table. Restore the old value; for a different schema, declare a VectorTable with a different name`;
  return changedPlaces(olds.schema, news.schema).map((place) => inputIssue(place, reason));
}

type Schema = VectorTableInputs["schema"];

/** The property paths of what differs. */
function changedPlaces(before: Schema, after: Schema): string[] {
  if (before === undefined || after === undefined) return before === after ? [] : ["schema"];
  const count = Math.max(before.columns.length, after.columns.length);
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const place = `schema.columns[${index}]`;
    const [old, now] = [before.columns[index], after.columns[index]];
    if (old === undefined || now === undefined) return [place];
    const same = {
      name: old.name === now.name,
      type: asRead(old.type) === asRead(now.type),
      constraints: isDeepStrictEqual(old.constraints?.map(asRead) ?? [], now.constraints?.map(asRead) ?? []),
    };
    const changed = Object.entries(same).filter(([, isSame]) => !isSame);
    return changed.map(([key]) => `${place}.${key}`);
  });
}

/** Where letter case and blanks matter: quoted text, and comments to the end of the line. */
const EXACT = /['"$]|--/;

/** A type or constraint as the database reads it: letter case and runs of blanks do not matter. */
function asRead(sql: string): string {
  if (EXACT.test(sql)) return sql;
  // The database treats only these as letters and blanks.
  return sql
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(/[ \t\n\r\f\v]+/g, " ")
    .replace(/^ | $/g, "");
}
