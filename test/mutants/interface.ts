import { mutantsIn } from "./mutant.ts";

/** Breaks of what client and sandbox share, where both would be wrong alike, of its fields, and of the authentication. */
export const interfaceMutants = mutantsIn(String.raw`
call 1: its path is another one
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 1, fields | call 1
- name: "create service account",\n    method: "POST",\n    path: "/organizations/{org_id}/service-accounts",
+ name: "create service account",\n    method: "POST",\n    path: "/organizations/{org_id}/service_accounts",
call 2: a service account makes it
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 2, fields | call 2
-     path: "/organizations/{org_id}/service-accounts",\n    credential: "user",\n    answer: serviceAccountListSchema,
+     path: "/organizations/{org_id}/service-accounts",\n    credential: "serviceAccount",\n    answer: serviceAccountListSchema,
call 3: its path has no account
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 3  | call 3
- path: "/organizations/{org_id}/service-accounts/{client_id}",
+ path: "/organizations/{org_id}/service-accounts",
call 4: its path has hyphens
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 4, fields | call 4
- path: "/organizations/{org_id}/users_auto_registration",
+ path: "/organizations/{org_id}/users-auto-registration",
call 5: a name is sent under another one
  provider/api/schemas/schemas.ts | test/interface/client.test.ts | call 5, fields | call 5
-   email: emailSchema.optional(),\n  first_name:
+   email: emailSchema.optional(),\n  firstName:
call 6: its path is in the singular
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 6  | call 6
- name: "assign seat",\n    method: "POST",\n    path: "/organizations/{org_id}/users/{user_id}/seats",
+ name: "assign seat",\n    method: "POST",\n    path: "/organizations/{org_id}/users/{user_id}/seat",
call 7: the end is sent under another name
  provider/api/schemas/schemas.ts | test/interface/client.test.ts | call 7, fields | call 7
- issueTokenRequestSchema = z.object({ expires_at: instantSchema });
+ issueTokenRequestSchema = z.object({ expires_at: instantSchema }).transform((body) => ({ expiresAt: body.expires_at }));
call 9: it is sent by POST
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 9  | call 9
- name: "revoke token",\n    method: "DELETE",
+ name: "revoke token",\n    method: "POST",
call 11: its path names no user
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 11  | call 11
- path: "/organizations/{org_id}/users/{user_id}",
+ path: "/organizations/{org_id}/users",
call 12: its path has no /api
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 12, fields | call 12
- path: "/api/servers",
+ path: "/servers",
call 13: its path has an /api
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 13, fields | call 13
- path: "/models/{model_id}/files",
+ path: "/api/models/{model_id}/files",
call 14: its path is in the singular
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 14, fields | call 14
- path: "/api/servers/{server_id}",
+ path: "/api/server/{server_id}",
call 15: its path has an underscore
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 15, fields | call 15
- method: "GET",\n    path: "/api/vector-db/tables",
+ method: "GET",\n    path: "/api/vector_db/tables",
call 16: it is sent by PATCH
  provider/api/calls/calls.ts | test/interface/client.test.ts | call 16, fields | call 16
- method: "POST",\n    path: "/api/vector-db/tables",
+ method: "PATCH",\n    path: "/api/vector-db/tables",
call 2: a list called data is not read
  provider/api/schemas/schemas.ts | test/interface/client-rules.test.ts | call 2, rule 1 | call 2, rule 1
- .object({ data: z.array(serviceAccountSchema) })
+ .object({ accounts: z.array(serviceAccountSchema) })
call 8: an answer without a body is no success
  provider/api/calls/calls.ts | test/interface/client-rules.test.ts | call 8, note A | call 8, note A
- answer: renewedTokenSchema,\n    body: "optional",
+ answer: renewedTokenSchema,\n    body: "required",
call 9: an answer without a body is no success
  provider/api/calls/calls.ts | test/interface/client-rules.test.ts | call 9, note A | call 9, note A
- name: "revoke token",\n    method: "DELETE",\n    path: "/organizations/{org_id}/users/{user_id}/token",\n    credential: "serviceAccount",\n    answer: nothing,\n    body: "none",
+ name: "revoke token",\n    method: "DELETE",\n    path: "/organizations/{org_id}/users/{user_id}/token",\n    credential: "serviceAccount",\n    answer: nothing,\n    body: "required",
call 10: an answer without a body is no success
  provider/api/calls/calls.ts | test/interface/client-rules.test.ts | call 10, note A | call 10, note A
- name: "remove seat",\n    method: "DELETE",\n    path: "/organizations/{org_id}/users/{user_id}/seats",\n    credential: "serviceAccount",\n    answer: nothing,\n    body: "none",
+ name: "remove seat",\n    method: "DELETE",\n    path: "/organizations/{org_id}/users/{user_id}/seats",\n    credential: "serviceAccount",\n    answer: nothing,\n    body: "required",
call 11: an answer without a body is no success
  provider/api/calls/calls.ts | test/interface/client-rules.test.ts | call 11, note A | call 11, note A
- name: "remove user",\n    method: "DELETE",\n    path: "/organizations/{org_id}/users/{user_id}",\n    credential: "serviceAccount",\n    answer: nothing,\n    body: "none",
+ name: "remove user",\n    method: "DELETE",\n    path: "/organizations/{org_id}/users/{user_id}",\n    credential: "serviceAccount",\n    answer: nothing,\n    body: "required",
call 12: a filter has another name in the query
  provider/api/schemas/model-schemas.ts | test/interface/client.test.ts | call 12, note 1 | call 12, note 1
-   fileId: z.string().min(1).optional(),\n  tag:
+   modelFileId: z.string().min(1).optional(),\n  tag:
call 12: no status can be asked for
  provider/api/schemas/model-schemas.ts | test/interface/client-rules.test.ts | server status | server status running; server status stopped; server status starting; server status stopping; server status errored; server status unavailable
- status: z.enum(serverStatuses).optional(),
+ status: z.never().optional(),
errors: a 500 counts as a refusal
  provider/api/client/responses.ts | test/interface/client-rules.test.ts | a refusal | call 12, note 2; call 13, note 4; call 14, note 4; call 15, 500
- return status >= 500 ? "service-failed" : "refused";
+ return "refused";
errors: a body without a code is none of the contract's
  provider/api/schemas/schemas.ts | test/interface/client-rules.test.ts | a refusal | call 13, note 2; call 13, note 4; call 14, note 4
- error: z.object({ code: z.string().optional(),
+ error: z.object({ code: z.string(),
errors: a body without a message is one of the contract's
  provider/api/schemas/schemas.ts | test/interface/client-rules.test.ts | a refusal | error body: message
- message: z.string(), data:
+ message: z.string().default(""), data:
errors: the code is dropped
  provider/api/client/responses.ts | test/interface/client-rules.test.ts | a refusal | error body: code; call 15, 404; call 14, note 2; call 16, note 2; code INVALID_REQUEST; code DATABASE_NOT_RUNNING; code INTERNAL_SERVER_ERROR; code INVALID_SERVER_ID; code SERVER_NOT_RUNNING; code SERVER_RUNNING
- serviceCode: code && redactor.show(code) };
+ serviceCode: undefined };
call 15: a name alone is no item
  provider/api/schemas/model-schemas.ts | test/interface/client-rules.test.ts | call 15, note 3 | call 15, note 3
- z.string().transform((name) => ({ name, schema: undefined, numRows: undefined })),
+ z.never(),
call 16: the body is called something else
  provider/api/client/sender.ts | test/interface/client.test.ts | call 16, note 5 | call 16, note 5
- headers.push("content-type", "application/json");
+ headers.push("content-type", "text/json");
names: capital letters are sent
  provider/api/schemas/schemas.ts | test/interface/client-rules.test.ts test/sandbox/service/accounts.test.ts | naming rule | naming rule
- SERVICE_ACCOUNT_NAME = /^[a-z0-9_-]{1,64}$/;
+ SERVICE_ACCOUNT_NAME = /^[A-Za-z0-9_-]{1,64}$/;
fields: service account: a field has another name, or another kind
  provider/api/schemas/schemas.ts | test/interface/client.test.ts | fields: service account | fields: service account
- org_id: z.string() };
+ organization_id: z.string() };
fields: user: a field has another name, or another kind
  provider/api/schemas/schemas.ts | test/interface/client.test.ts | fields: user | fields: user
- userSchema = z.object({\n  id:
+ userSchema = z.object({\n  user_id:
fields: token: a field has another name, or another kind
  provider/api/schemas/schemas.ts | test/interface/client.test.ts | fields: token | fields: token
- issuedTokenSchema = z.object({ token:
+ issuedTokenSchema = z.object({ value:
fields: onboarding result: a field has another name, or another kind
  provider/api/schemas/schemas.ts | test/interface/client.test.ts | fields: onboarding result | fields: onboarding result
- users_unavailable_for_onboarding: z.array
+ unavailable: z.array
fields: server: a field has another name, or another kind
  provider/api/schemas/model-schemas.ts | test/interface/client.test.ts | fields: server | fields: server
- serverProcessId: z.int()
+ serverProcessId: z.string()
fields: model file: a field has another name, or another kind
  provider/api/schemas/model-schemas.ts | test/interface/client.test.ts | fields: model file | fields: model file
- downloadedRatio: z.number()
+ downloadRatio: z.number()
fields: table: a field has another name, or another kind
  provider/api/schemas/model-schemas.ts | test/interface/client.test.ts | fields: table | fields: table
-     schema: tableSchemaSchema.nullish(),\n    numRows: z
+     schema: tableSchemaSchema.nullish(),\n    rows: z
the key of the model area: shown as another scheme
  provider/api/client/sender.ts | test/interface/client.test.ts | authentication | authentication: model area 1; authentication: model area 3; authentication: organization area 5
- ["authorization", \`Bearer
+ ["authorization", \`Key
the key of the model area: any text is sent
  provider/api/client/token-sources.ts | test/interface/client-rules.test.ts | authentication | authentication: model area 2
- if (!apiKeySchema.safeParse(apiKey).success)
+ if (!apiKey)
the token endpoint: a name and password are sent as those of an account
  provider/api/client/credentials.ts | test/interface/client-rules.test.ts | authentication | authentication: organization area 1
- request: { grant_type: "password", username, password }
+ request: { grant_type: "client_credentials", client_id: username, client_secret: password }
the token endpoint: an account is sent as a name and password
  provider/api/client/credentials.ts | test/interface/client-rules.test.ts | authentication | authentication: organization area 3
- request: { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret }
+ request: { grant_type: "password", username: clientId, password: clientSecret }
the token endpoint: it is asked in JSON
  provider/api/client/token-sources.ts | test/interface/client-rules.test.ts | authentication | authentication: organization area 5
- "application/x-www-form-urlencoded"
+ "application/json"
call 1: a service account makes it
  provider/api/calls/calls.ts | test/interface/client-rules.test.ts | authentication: organization area 2 | authentication: organization area 2
- credential: "user",\n    request: createServiceAccountRequestSchema,
+ credential: "serviceAccount",\n    request: createServiceAccountRequestSchema,
`);
