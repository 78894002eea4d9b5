/** An organization of level R over simulated time: provider, service and command share one clock. */
import { formatInstant } from "../../provider/util/instants.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import type { NewPerson, NewRoster } from "./people.ts";

export const DAY = 86_400_000;
export const START = Date.parse("2026-08-20T10:00:00Z");
const END = "2031-06-30T23:59:59Z";

export class Years {
  readonly fixture: Fixture;
  readonly clock: { now: number };

  constructor(fixture: Fixture, clock: { now: number }) {
    this.fixture = fixture;
    this.clock = clock;
  }

  static async of(people: readonly NewPerson[], seats = 20): Promise<{ years: Years; roster: NewRoster }> {
    const clock = { now: START };
    const fixture = await directFixture(seats, "basic", () => clock.now);
    await fixture.sandbox.service.management.setClock({ fixedAt: formatInstant(START) });
    const roster = { organizationId: fixture.organizationId, subscriptionExpiresAt: END, people };
    const years = new Years(fixture, clock);
    await years.renewSubscription();
    await fixture.bring(roster);
    return { years, roster };
  }

  /** The service extends a token only if the subscription was renewed since its last issue or renewal. */
  async renewSubscription(expiresAt = END): Promise<void> {
    const { sandbox, organizationId } = this.fixture;
    await sandbox.service.management.changeSubscription(organizationId, { expiresAt });
  }

  /** @param planTime at which dates are judged; default: the time of the clock */
  async open(roster: NewRoster, planTime?: string) {
    await this.#setServiceClock();
    return this.fixture.open(roster, { planTime, now: () => this.clock.now });
  }

  async reopen() {
    await this.#setServiceClock();
    return this.fixture.reopen({ now: () => this.clock.now });
  }

  #setServiceClock(): Promise<void> {
    const fixedAt = formatInstant(this.clock.now);
    return this.fixture.sandbox.service.management.setClock({ fixedAt });
  }

  async calls(): Promise<number[]> {
    return (await this.fixture.done()).map(({ call }) => call);
  }
}
