import { postponeDelivery } from '../domain/delivery.ts';
import type { Books } from '../world/books.ts';
import type { Clock } from '../world/clock.ts';
import type { AttemptDelivery } from './attempt.ts';
import { createGate } from './gate.ts';
import type { Lines } from './lines.ts';
import type { Records } from './records.ts';
import type { Tracker } from './tracker.ts';

/** Makes attempts when their time has come, within bounds. */
export interface Attempts {
  /** Makes the first attempt, unless there was one by hand before. */
  readonly first: AttemptDelivery;
  /** Makes one more attempt as soon as the line of its books has room for it. */
  readonly again: AttemptDelivery;
  /** Goes on with a delivery that waits for its next attempt, if it has one. */
  readonly resume: (books: Books, id: string) => void;
  /** Puts the first attempt off by milliseconds of the sandbox's clock. */
  readonly postpone: (books: Books, id: string, by: number) => void;
  /** Makes no further attempt; those under way end by themselves. */
  readonly close: () => void;
}

/** Names what attempts work with. */
interface AttemptsParts {
  readonly clock: Clock;
  readonly attempt: AttemptDelivery;
  readonly lines: Lines;
  readonly records: Records;
  readonly tracker: Tracker;
}

/**
 * Bounds the attempts that are under way at once, over all books. An endpoint that hangs takes one of them, and eight
 * more for its retries: it delays no other.
 */
const AT_ONCE = 256;

/** Creates the maker of attempts; one that fails comes back on the clock while its schedule lasts. */
export function createAttempts({ clock, attempt, lines, records, tracker }: AttemptsParts): Attempts {
  const gate = createGate(AT_ONCE);
  let isClosed = false;
  const make: AttemptDelivery = (books, id) =>
    gate(async () => {
      if (isClosed) return;
      await attempt(books, id);
      scheduleNext(books, id);
    });
  const again: AttemptDelivery = (books, id) => tracker.track(lines(books).again(() => make(books, id)));
  const scheduleNext = (books: Books, id: string): void => {
    const at = books.deliveries.get(id)?.next_at ?? null;
    if (at === null || books.isRetired) return;
    const run = (): void => {
      const isStillDue = books.deliveries.get(id)?.next_at === at;
      if (isStillDue) void again(books, id);
    };
    clock.schedule({ at, rank: id, run });
  };
  return {
    async first(books, id) {
      if (books.deliveries.get(id)?.state === 'queued') await make(books, id);
    },
    again,
    resume: scheduleNext,
    postpone(books, id, by) {
      records.change(books, id, (delivery) => postponeDelivery(delivery, clock.now() + by));
      scheduleNext(books, id);
    },
    close() {
      isClosed = true;
    },
  };
}
