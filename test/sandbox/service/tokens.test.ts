import { talks } from "./talk.ts";

talks(`
D37: understands a date, another zone, and fractions of a second
  $ada = addUser
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30 } } -> 200 { expires_at: 2026-06-30T23:59:59Z }
  $eve = addUser
  issueToken { user_id: $eve, body: { expires_at: 2026-06-30T12:00:00+02:00 } } -> 200 { expires_at: 2026-06-30T10:00:00Z }
  $max = addUser
  issueToken { user_id: $max, body: { expires_at: 2026-06-30T12:00:00.987Z } } -> 200 { expires_at: 2026-06-30T12:00:00Z }
  manage.snapshot -> { tokens: [{ expiresAt: 2026-06-30T23:59:59Z }, { expiresAt: 2026-06-30T10:00:00Z }, { expiresAt: 2026-06-30T12:00:00Z }] }

fields: token, D12: answers expires_at null where the management side says so, and keeps the date
  manage.setSwitches { issuedExpiry: "null" }
  $ada = addUser
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30 } } -> 200 { expires_at: null }
  manage.snapshot -> { tokens: [{ expiresAt: 2026-06-30T23:59:59Z }] }

call 7, rule 7, D43: no date, null, a day that is none, and a word are refused with 422 that names the field
  $ada = addUser
  issueToken { user_id: $ada, body: {} } -> 422 body.expires_at
  issueToken { user_id: $ada, body: { expires_at: null } } -> 422 body.expires_at
  issueToken { user_id: $ada, body: { expires_at: 2026-02-30 } } -> 422 body.expires_at
  issueToken { user_id: $ada, body: { expires_at: soon } } -> 422 body.expires_at

D41: a renewal needs no renewed subscription if the management side says so
  manage.setSwitches { renewalNeeds: nothing }
  $ada = addUser
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30 } }
  renewToken { user_id: $ada } -> 200 = { expires_at: 2026-12-31T23:59:59Z }

call 8, note A, D9: a renewal answers null, or no body, where the management side says so
  $ada = addUser
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30 } }
  manage.setSwitches { renewedExpiry: "null" }
  renewToken { user_id: $ada } -> 200 = { expires_at: null }
  manage.setSwitches { renewedExpiry: no-body }
  renewToken { user_id: $ada } -> 200 empty
`);
