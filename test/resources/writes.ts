/** Every write of resources at `scripted()`, each by one method: what programs declare, what states have, and the methods. */
import { markOf } from "../../provider/member/held.ts";
import { API_KEY, common, SUBSCRIPTION_END, type scripted } from "./scripted.ts";

export type Run = Awaited<ReturnType<typeof scripted>>;

export const SERVER = "0b6e8f0a-3f55-4a43-9b57-1d2f3a4b5c6d";
export const person = { ...common, email: "ada@acme.example" };
export const seat = { ...common, userId: "u1" };
export const token = { ...seat, subscriptionExpiresAt: SUBSCRIPTION_END };
const account = { ...common, name: "bot" };

const kept = { ...seat, stateVersion: 1, instance: "i1" };
const user = { id: "u1", adopted: true, seatAdopted: false };
const heldBy = (ref: string, one: object, agreed: object = {}) => ({
  ...{ ...seat, stateVersion: 1, held: { ref, users: [{ ...user, ...one }], agreed } },
});
const heldSeat = { ...heldBy("seat-1", { seat: "held", tokens: [] }), adopted: false };
const heldUser = {
  ...heldBy("user-1", { address: markOf("user-1", person.email), adopted: false, seat: "none", tokens: [] }),
  ...{ email: person.email, serviceEmail: null, isMachineUser: false, adopted: false },
};
const issuedAt = "2027-01-01T00:00:00Z";
/** @param more of the token that is held */
export const heldTokenWith = (more: object = {}) => {
  const dates = { issuedAt, declaredEnd: SUBSCRIPTION_END, reportedEnd: SUBSCRIPTION_END };
  const own = { adopted: false, value: "kept", ...dates, ...more };
  const follows = { subscriptionExpiresAt: SUBSCRIPTION_END };
  return {
    ...{ ...heldBy("token-1", { seat: "left", tokens: [own] }, follows), ...token, issuedAt },
    ...{ value: "seat-token-1", reportedExpiresAt: SUBSCRIPTION_END },
    ...{ validUntil: SUBSCRIPTION_END, expirySource: "service" },
  };
};
export const heldToken = heldTokenWith();
export const heldAccount = { ...kept, ...account, clientId: "c1", clientSecret: "secret-1" };
const heldServer = {
  ...{
    stateVersion: 1,
    instance: "i1",
    serverId: SERVER,
    onDelete: "delete",
    credentials: { apiKey: API_KEY },
  },
  ...{ tag: null, serverProcessId: null, modelFile: null, serverConfig: null, endpoint: null, status: null },
};

export const writes = {
  createAccount: (run: Run) => run.serviceAccount.create(account),
  deleteAccount: (run: Run) => run.serviceAccount.delete("c1", heldAccount),
  onboard: (run: Run) => run.onboarding.create({ ...common, emails: [person.email] }),
  addUser: (run: Run) => run.orgUser.create(person),
  removeUser: (run: Run) => run.orgUser.delete("u1", heldUser),
  assignSeat: (run: Run) => run.seat.create(seat),
  removeSeat: (run: Run) => run.seat.delete("u1", heldSeat),
  issueToken: (run: Run) => run.token.create(token),
  renewToken: (run: Run) =>
    run.token.update("u1", heldToken, { ...token, subscriptionExpiresAt: "2028-06-30T23:59:59Z" }),
  revokeToken: (run: Run) => run.token.delete("u1", heldToken),
  deleteServer: (run: Run) => run.server.delete(SERVER, heldServer),
};
