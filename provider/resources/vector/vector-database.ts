/**
 * VectorDatabase: the vector database of an API key (create, start and stop vector database). There is one for each key,
 * so the id is constant. No call reads it: refresh learns from the list of tables whether it runs. No call deletes it:
 * removal only removes it from the state, with a warning. A database that exists is adopted, and never stopped by a
 * creation.
 */

import { z } from "zod";
import type { VectorDatabaseDetails } from "../../api/schemas/anaconda-model-schemas.ts";
import { CodedError } from "../../util/error-codes.ts";
import { changedKeys, inputIssue } from "../changes.ts";
import { type Creation, createOnce } from "../create-once.ts";
import { isAbsent, isRefused, keepIfFailed, withNextStep } from "../failures.ts";
import { databaseMove } from "../planned-writes.ts";
import {
  apiKeyCredentialsSchema,
  type CallContext,
  commonOutputs,
  type ModelAccess,
  type ResourceDefinition,
} from "../resource.ts";
import { STATE_VERSION } from "../resource-types.ts";
import { known } from "../unknown.ts";
import { declareDatabase, forgetTables, listTablesOnce } from "./table-calls.ts";

const ID = "vector-db";

const inputs = {
  running: z.boolean().optional(),
  credentials: apiKeyCredentialsSchema.optional(),
};
/** Null if no response had them. */
const details = {
  host: z.string().nullable(),
  port: z.number().nullable(),
  database: z.string().nullable(),
  user: z.string().nullable(),
  password: z.string().nullable(),
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
            "this service (orgseat:platform) cannot create, start, or stop the vector database. Remove the VectorDatabase, and start the database in the service",
          ),
        ],

  diff(_id, olds, news, context) {
    const running = known(news.running);
    if (running !== undefined) declareDatabase(olds, running, context);
    const changes = changedKeys(olds, news, ["running", "credentials"]).length > 0;
    return { changes, replaces: [], deleteBeforeReplace: false };
  },

  async create(news, context) {
    const { running = true } = news;
    forgetTables(news, context);
    if (!running) await refuseToStop(news, context);
    const made = await createOrFind(news, context);
    forgetTables(news, context);
    declareDatabase(news, running, context);
    const outs = outsOf({ ...news, running: true }, made);
    if (made !== undefined && made.running === running) return { id: ID, outs };
    const moved = await keepIfFailed(
      ID,
      async () => outsOf(news, await move(running, news, context), outs),
      () => outs,
    );
    return { id: ID, outs: moved };
  },

  async find(id) {
    throw new CodedError(
      "cannot-adopt",
      `cannot import VectorDatabase ${id}: the API cannot read its host and password. Declare a VectorDatabase without importing it: \`pulumi up\` finds the database of the API key`,
    );
  },

  async read(_id, outs, context) {
    return { ...outs, running: await isRunning(outs, context) };
  },

  /** Another key alone sends nothing: the request would start or stop whatever database that key has. */
  async update(_id, olds, news, context) {
    const { running = true } = news;
    forgetTables(news, context);
    if (databaseMove(olds, running) === undefined) return outsOf(news, undefined, olds);
    const owner = { ...news, password: olds.password };
    if (olds.host !== null) await requireSame(olds, owner, context);
    const outs = outsOf(news, await move(running, owner, context), olds);
    forgetTables(news, context);
    if (olds.host !== null && addressOf(outs) !== addressOf(olds)) {
      context.warn(
        `VectorDatabase: the address changed from ${addressOf(olds)} to ${addressOf(outs)} when the database was ${running ? "started" : "stopped"}. The state now contains the new address.`,
      );
    }
    return outs;
  },

  updateWrites(olds, { running }) {
    const write = databaseMove(olds, running);
    return write === undefined ? [] : [`${write} vector database`];
  },

  async delete(_id, _outs, context) {
    context.warn(
      "VectorDatabase is removed from the state: the API cannot delete the vector database, so it stays with its tables, and keeps running if it is running.",
    );
    return "kept";
  },
};

/** @param olds the details to keep if the response has none */
function outsOf(
  news: VectorDatabaseInputs,
  found: VectorDatabaseDetails | undefined,
  olds: Pick<VectorDatabaseOutputs, keyof typeof details> = NO_DETAILS,
): VectorDatabaseOutputs {
  const { host, port, database, user, password } = olds;
  return { ...news, host, port, database, user, password, ...found, stateVersion: STATE_VERSION };
}

const NO_DETAILS = { host: null, port: null, database: null, user: null, password: null };

function addressOf({ host, port, database }: VectorDatabaseOutputs): string {
  return `${host}:${port}/${database}`;
}

/**
 * A key can lead to another database than before, whether it is of the program or of the environment. The state that the database
 * has already, sent again, shows its address and changes nothing.
 * @throws if it is not the database of the state
 */
async function requireSame(
  olds: VectorDatabaseOutputs,
  owner: ModelAccess,
  context: CallContext,
): Promise<void> {
  const seen = outsOf(owner, await move(await isRunning(owner, context), owner, context), olds);
  if (addressOf(seen) === addressOf(olds)) return;
  throw new CodedError(
    "cannot-adopt",
    `VectorDatabase: the database of the API key is ${addressOf(seen)}, but the state contains ${addressOf(olds)}. No database was started or stopped. To manage the other database, declare another VectorDatabase. If it is the same one with a new address, adopt it with \`pulumi up --replace <its URN>\`.`,
  );
}

/** The only 404 of "list tables": the database does not run. */
async function isRunning(owner: ModelAccess, context: CallContext): Promise<boolean> {
  try {
    await listTablesOnce(owner, context);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** A database that runs before its creation is someone's: a creation does not stop it. */
async function refuseToStop(news: VectorDatabaseInputs, context: CallContext): Promise<void> {
  if (!(await isRunning(news, context))) return;
  throw new CodedError(
    "cannot-adopt",
    "cannot create a stopped VectorDatabase: the database of the API key is already running, and creating the resource does not stop it. Set `running: true`, which adopts it, and run `pulumi up`; then set `running: false`.",
  );
}

/** Creates the database. After a lost response, starting or stopping it shows the details of the one that exists. */
async function createOrFind(
  news: VectorDatabaseInputs,
  context: CallContext,
): Promise<VectorDatabaseDetails | undefined> {
  const api = context.models(news);
  const creation: Creation<FoundDatabase> = {
    send: async () => ({ details: await api.createVectorDatabase(context.operation) }),
    look: () => findDatabase(news, context),
    giveUp: (lost, attempts) => withNextStep(lost, `${attempts} attempts created no vector database.`),
  };
  return (await createOnce(creation, context)).details;
}

interface FoundDatabase {
  /** Undefined if the response has none. */
  readonly details: VectorDatabaseDetails | undefined;
}

/** Undefined if there is no database. */
async function findDatabase(
  news: VectorDatabaseInputs,
  context: CallContext,
): Promise<FoundDatabase | undefined> {
  try {
    return {
      details: await context.models(news).moveVectorDatabase(news.running ?? true, context.operation),
    };
  } catch (error) {
    if (isRefused(error, 400)) return undefined;
    throw error;
  }
}

async function move(
  running: boolean,
  owner: ModelAccess,
  context: CallContext,
): Promise<VectorDatabaseDetails | undefined> {
  try {
    return await context.models(owner).moveVectorDatabase(running, context.operation);
  } catch (error) {
    if (!isRefused(error, 400)) throw error;
    throw withNextStep(
      error,
      "If the database no longer exists, create it again (`pulumi up --replace <its URN>`).",
      "not-found",
    );
  }
}
