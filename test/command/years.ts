/** An organization of level R over simulated time: provider, service and command share one clock. */
import { formatInstant } from "../../provider/util/instants.ts";
import { directFixture, Fixture, type Opening, type Wanted } from "./fixture.ts";
import type { NewPerson, NewRoster } from "./people.ts";

export const DAY = 86_400_000;
export const START = Date.parse("2026-08-20T10:00:00Z");
const END = "2031-06-30T23:59:59Z";

export class Years extends Fixture {
  readonly clock: { now: number };

  constructor({ sandbox, ...parts }: Fixture, clock: { now: number }) {
    super(sandbox, parts);
    this.clock = clock;
  }

  static async of(people: readonly NewPerson[], seats = 20): Promise<{ years: Years; roster: NewRoster }> {
    const clock = { now: START };
    const years = new Years(await directFixture(seats, "basic", () => clock.now), clock);
    const roster = years.rosterOf(people, { subscriptionExpiresAt: END });
    await years.renewSubscription();
    await years.bring(roster);
    return { years, roster };
  }

  /** The service extends a token only if the subscription was renewed since its last issue or renewal. */
  async renewSubscription(expiresAt = END): Promise<void> {
    await this.#setServiceClock();
    await this.sandbox.service.management.changeSubscription(this.organizationId, { expiresAt });
  }

  override async open(wanted?: Wanted, opening: Opening = {}) {
    await this.#setServiceClock();
    return super.open(wanted, { now: () => this.clock.now, ...opening });
  }

  #setServiceClock(): Promise<void> {
    const fixedAt = formatInstant(this.clock.now);
    return this.sandbox.service.management.setClock({ fixedAt });
  }
}
