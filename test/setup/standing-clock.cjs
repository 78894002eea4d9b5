// Loaded before everything else in the processes of an organization whose time a test sets: their clock stands at it.
const now = Number(process.env.TEST_TIME);
globalThis.Date = new Proxy(Date, {
  construct: (date, given, target) => Reflect.construct(date, given.length === 0 ? [now] : given, target),
  get: (date, name) => (name === "now" ? () => now : Reflect.get(date, name)),
});
