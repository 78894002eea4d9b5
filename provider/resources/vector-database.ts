/**
 * VectorDatabase: the vector database of an API key (create, start and stop vector database). There is one for each key,
 * so the id is constant. No call reads it: refresh learns from the list of tables whether it runs. No call deletes it:
 * removal only removes it from the state, with a warning.
 */
import { z } from "zod";
import type { VectorDatabaseDetails } from "../api/anaconda-schemas.ts";
import { changedKeys, inputIssue } from "./changes.ts";
import { isRefused, mayHaveSucceeded, withNextStep } from "./failures.ts";
import {
  apiKeyCredentialsSchema,
  type CallContext,
  commonOutputs,
  type ModelAccess,
  type ResourceDefinition,
  STATE_VERSION,
} from "./resource.ts";
import { forgetTables, listTablesOnce } from "./table-calls.ts";

const ID = "vector-db";

const inputs = {
  running: z.boolean().optional(),
  credentials: apiKeyCredentialsSchema.optional(),
};
const details = {
  host: z.string(),
  port: z.number(),
  database: z.string(),
  user: z.string(),
  password: z.string(),
};
/** `running` is what the service last reported, so that the next preview starts a database that was stopped. */
const outputs = z.object({ ...inputs, ...commonOutputs, ...details });
const inputsSchema = z.object(inputs);
type VectorDatabaseInputs = z.output<typeof inputsSchema>;
type VectorDatabaseOutputs = z.output<typeof outputs>;

export const vectorDatabaseDefinition: ResourceDefinition<VectorDatabaseInputs, VectorDatabaseOutputs> = {
  name: "VectorDatabase",
  area: "model",
  inputs,
  outputs,
  secretInputs: ["credentials"],
  secretOutputs: ["password"],
  stableOutputs: [],
  identity: [],

  complete: (news) => (news.running === undefined ? { ...news, running: true } : news),

  check: (_news, _olds, { can }) =>
    can.canDeleteTables
      ? []
      : [
          inputIssue(
            "",
            "this service (orgseat:dialect) cannot create, start or stop the vector database. Remove the VectorDatabase, and start the database in the service",
          ),
        ],

  diff: (_id, olds, news) => ({
    changes: changedKeys(olds, news, ["running", "credentials"]).length > 0,
    replaces: [],
    deleteBeforeReplace: false,
  }),

  async create(news, context) {
    forgetTables(news, context);
    const made = await createOnce(news, context);
    const { running = true } = news;
    const found = made.running === running ? made : await move(running, news, context);
    return { id: ID, outs: outsOf(news, found) };
  },

  async find(id) {
    throw new Error(
      `cannot import VectorDatabase ${id}: no request reads its host and password. Declare a VectorDatabase without an import: \`pulumi up\` finds the database that the key has`,
    );
  },

  async read(_id, outs, context) {
    try {
      await listTablesOnce(outs, context);
      return { ...outs, running: true };
    } catch (error) {
      // The only 404 of "list tables": the database does not run.
      if (isRefused(error, 404)) return { ...outs, running: false };
      throw error;
    }
  },

  /** Repeats the request for any change: another key can have another database. */
  async update(_id, { password }, news, context) {
    forgetTables(news, context);
    return outsOf(news, await move(news.running ?? true, { ...news, password }, context));
  },

  updateWrites: (_olds, { running = true }) => [`${running ? "start" : "stop"} vector database`],

  async delete(_id, _outs, context) {
    context.warn(
      "VectorDatabase is removed from the state: the API cannot delete the vector database, so it stays with its tables, and keeps running if it runs.",
    );
    return "kept";
  },
};

function outsOf(news: VectorDatabaseInputs, found: VectorDatabaseDetails): VectorDatabaseOutputs {
  return { ...news, ...found, stateVersion: STATE_VERSION };
}

const ROUNDS = 3;
const RETRY_PAUSE_MS = 500;

/** Creates the database. After a lost response, starting or stopping it shows the details of the one that exists. */
async function createOnce(news: VectorDatabaseInputs, context: CallContext): Promise<VectorDatabaseDetails> {
  const api = context.models(news);
  for (let round = 1; ; round++) {
    try {
      return await api.createVectorDatabase(context.operation);
    } catch (error) {
      if (!mayHaveSucceeded(error)) throw error;
      const found = await findDatabase(news, context);
      if (found) return found;
      if (round === ROUNDS) throw withNextStep(error, `${ROUNDS} attempts created no vector database.`);
    }
    await context.sleep(RETRY_PAUSE_MS);
  }
}

/** Undefined where there is no database. */
async function findDatabase(
  news: VectorDatabaseInputs,
  context: CallContext,
): Promise<VectorDatabaseDetails | undefined> {
  try {
    return await context.models(news).moveVectorDatabase(news.running ?? true, context.operation);
  } catch (error) {
    if (isRefused(error, 400)) return undefined;
    throw error;
  }
}

async function move(
  running: boolean,
  owner: ModelAccess,
  context: CallContext,
): Promise<VectorDatabaseDetails> {
  try {
    return await context.models(owner).moveVectorDatabase(running, context.operation);
  } catch (error) {
    if (!isRefused(error, 400)) throw error;
    throw withNextStep(
      error,
      "If the database no longer exists, create it again (`pulumi up --replace <its URN>`).",
    );
  }
}
