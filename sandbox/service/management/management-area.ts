/** The management API, on its own port: for `sandbox/` and `test/` only, not part of the contract. */
import type { HttpBindings } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import { z } from "zod";
import { formatInstant } from "../../../provider/util/instants.ts";
import { faultRuleSchema } from "../base/fault-injection.ts";
import {
  adminChangeSchema,
  emailOnlySchema,
  newAdminSchema,
  probeSchema,
  subscriptionSchema,
  tokenChangeSchema,
  userChangeSchema,
} from "../base/management-schemas.ts";
import { invalidBody, Refusal, refusal } from "../base/refusals.ts";
import { clockSchema, newOrganizationSchema, switchesSchema } from "../base/settings.ts";
import type { Core } from "../core.ts";
import { changeUser } from "../organization/members.ts";
import { addIndividualAccount, failOnboarding } from "../organization/onboarding.ts";
import { addAdmin, addOrganization, changeAdmin, changeSubscription } from "../organization/organizations.ts";
import { readOutbox } from "../organization/outbox.ts";
import { insertSeeds } from "../organization/seeding.ts";
import { changeToken, checkTokenValue } from "../organization/tokens.ts";
import { changesOf, read } from "./management-body.ts";
import { modelRoutes, vectorRoutes } from "./model-management-area.ts";
import { oddItemSchema } from "./odd-items.ts";
import { takeSnapshot } from "./snapshot.ts";

const rulesSchema = z.array(faultRuleSchema);
const sinceSchema = z.coerce.number().int().min(0).default(0);

export function managementArea(core: Core): Hono {
  const app = new Hono();
  app.use(refuseWebPages);
  app.get("/health", (context) => context.json({ ok: true }));
  settingsRoutes(app, core);
  organizationRoutes(app, core);
  userRoutes(app, core);
  modelRoutes(app, core);
  vectorRoutes(app, core);
  observationRoutes(app, core);
  faultRoutes(app, core);
  app.onError((error, context) => {
    if (error instanceof Refusal) return Response.json(error.body, { status: error.status });
    if (!core.closing.aborted) core.onError(error);
    return context.json({ error: { code: "INTERNAL_SERVER_ERROR", message: String(error) } }, 500);
  });
  return app;
}

/**
 * Refuses browsers: a web page must not be able to read or reset a sandbox. A page of another site sends its origin;
 * a page whose name resolves to this machine (DNS rebinding) sends that name as the host.
 */
const refuseWebPages: MiddlewareHandler<{ Bindings: Partial<HttpBindings> }> = async ({ req, env }, next) => {
  if (req.header("origin") !== undefined) throw refusal(403, "NO_BROWSERS", "not for web pages");
  // A request in the same process has no socket.
  if (env.incoming !== undefined && !isForThisMachine(env.incoming)) {
    throw refusal(403, "WRONG_HOST", "use the address that the sandbox printed");
  }
  await next();
};

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(?::(\d+))?$/i;

/** Whether the host is a loopback name or the address of the socket, with the right port. */
function isForThisMachine({ headers, socket }: HttpBindings["incoming"]): boolean {
  const { localAddress = "", localPort } = socket;
  const own = `${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
  const host = headers.host ?? "";
  const port = LOOPBACK_HOST.exec(host)?.[3] ?? "80";
  return host === own || (LOOPBACK_HOST.test(host) && port === String(localPort));
}

function settingsRoutes(app: Hono, { settings, database, vectors, log, faults }: Core): void {
  const clock = () => ({ now: formatInstant(settings.now()), setting: settings.clock() });
  app.get("/clock", (context) => context.json(clock()));
  app.put("/clock", async (context) => {
    settings.setClock(await read(context.req.raw, clockSchema));
    return context.json(clock());
  });
  app.get("/switches", (context) => context.json(settings.switches()));
  app.patch("/switches", async (context) => {
    const change = await read(
      context.req.raw,
      z.partialRecord(z.enum(Object.keys(switchesSchema.shape)), z.string()),
    );
    const parsed = switchesSchema.safeParse({ ...settings.switches(), ...change });
    if (!parsed.success) throw invalidBody(parsed.error);
    settings.setSwitches(parsed.data);
    return context.json(parsed.data);
  });
  app.put("/odd-items", async (context) => {
    settings.setOddItems(await read(context.req.raw, z.array(oddItemSchema)));
    return context.body(null, 204);
  });
  app.post("/reset", async (context) => {
    faults.clear();
    await vectors.clear();
    database.transaction(() => {
      database.empty();
      settings.reset();
      insertSeeds(database, settings);
    });
    log.clear();
    return context.body(null, 204);
  });
}

function organizationRoutes(app: Hono, { database }: Core): void {
  const onChange = changesOf(app, database);
  onChange("POST", "/organizations", newOrganizationSchema, (seed) => addOrganization(database, seed));
  onChange("PATCH", "/organizations/:id/subscription", subscriptionSchema, (change, id) =>
    changeSubscription(database, id, change),
  );
  onChange("POST", "/admins", newAdminSchema, ({ organizationId, username, password }) =>
    addAdmin(database, organizationId, username, password),
  );
  onChange("PATCH", "/admins/:id", adminChangeSchema, (change, username) =>
    changeAdmin(database, username, change),
  );
}

function userRoutes(app: Hono, { database }: Core): void {
  const onChange = changesOf(app, database);
  onChange("POST", "/individual-accounts", emailOnlySchema, ({ email }) =>
    addIndividualAccount(database, email),
  );
  onChange("POST", "/onboarding-problems", emailOnlySchema, ({ email }) => failOnboarding(database, email));
  onChange("PATCH", "/users/:id", userChangeSchema, (change, id) => changeUser(database, id, change));
  onChange("PATCH", "/tokens/:id", tokenChangeSchema, (change, id) => changeToken(database, id, change));
  app.delete("/users/:id", (context) => {
    const { changes } = database.run("DELETE FROM users WHERE id = ?", context.req.param("id"));
    if (changes === 0) throw refusal(404, "USER_NOT_FOUND", "no such user");
    return context.body(null, 204);
  });
}

function observationRoutes(app: Hono, { database, settings, log }: Core): void {
  app.get("/snapshot", (context) => context.json(takeSnapshot(database, settings.now())));
  app.get("/outbox", (context) => context.json(readOutbox(database)));
  app.post("/tokens/probe", async (context) => {
    const { token } = await read(context.req.raw, probeSchema);
    return context.json(checkTokenValue(database, settings.now(), token));
  });
  app.get("/requests", (context) => {
    const since = sinceSchema.safeParse(context.req.query("since"));
    if (!since.success) throw refusal(400, "INVALID_REQUEST", "since is a number");
    return context.json(log.since(since.data));
  });
  app.delete("/requests", (context) => {
    log.clear();
    return context.body(null, 204);
  });
}

function faultRoutes(app: Hono, { faults }: Core): void {
  app.get("/faults", (context) => context.json(faults.list()));
  app.post("/faults", async (context) => {
    faults.add(await read(context.req.raw, rulesSchema));
    return context.body(null, 204);
  });
  app.delete("/faults", (context) => {
    faults.clear();
    return context.body(null, 204);
  });
}
