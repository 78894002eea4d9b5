/** The observer of writes: it is asked once before each attempt. */
import { expect, test, vi } from "vitest";
import { failureOf, Service, TestClock } from "./service.ts";

const within = (clock: TestClock, ms: number) => ({ deadline: clock.monotonic() + ms });

/** Counts its questions. @param reason of the n-th answer, why it must not be sent */
function counting(reason: (asked: number) => string | undefined = () => undefined) {
  let asked = 0;
  const observer = {
    beforeSend: () => {
      asked += 1;
      return reason(asked);
    },
    afterSend: () => undefined,
  };
  return { observer, asked: () => asked };
}

test("asks the observer once before each attempt, the first one too", async () => {
  const clock = new TestClock();
  await using service = await Service.start((_, count) => (count < 3 ? { status: 429 } : {}));
  const { observer, asked } = counting();
  await service.organization({ clock, observer }).assignSeat("u", within(clock, 1e5));
  expect(service.calls).toHaveLength(3);
  expect(asked()).toBe(3);
});

test.each([
  ["has the id of a created machine user", { id: "u1", first_name: "Builds", last_name: null }, "u1"],
  ["has no id if the response is about a user with another name", { id: "u2", first_name: "Ada" }, undefined],
  ["has no id if the response is about a person", { id: "u2", email: "ada@acme.example" }, undefined],
])("the observed write %s", async (_case, body, id) => {
  const clock = new TestClock();
  await using service = await Service.start(() => ({ status: 201, body }));
  const afterSend = vi.fn();
  const observer = { beforeSend: () => undefined, afterSend };
  await service
    .organization({ clock, observer })
    .createUser({ first_name: "Builds" }, within(clock, 1e5))
    .catch(() => undefined);
  expect(afterSend.mock.calls).toEqual([[expect.objectContaining({ name: "add user", id })]]);
});

test("sends nothing if the observer refuses a write, not even for an access token; its reason precedes missing credentials", async () => {
  const clock = new TestClock();
  await using service = await Service.start(() => ({}));
  const { observer } = counting(() => "the disk is full");
  const error = await failureOf(
    service.organization({ clock, observer }).assignSeat("u", within(clock, 1e5)),
  );
  expect(error).toMatchObject({ code: "blocked", reason: "not sent: the disk is full" });
  expect([...service.calls, ...service.tokenRequests]).toEqual([]);
});

test("keeps the answer of the attempt before if the observer refuses a retry", async () => {
  const clock = new TestClock();
  await using service = await Service.start(() => ({ fault: "close" }));
  const { observer } = counting((asked) => (asked === 2 ? "the disk is full" : undefined));
  const error = await failureOf(
    service.organization({ clock, observer }).removeUser("u", within(clock, 1e5)),
  );
  expect(error).toMatchObject({ code: "no-answer", effectUnknown: true });
  expect(service.calls).toHaveLength(1);
});
