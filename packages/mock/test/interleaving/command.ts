import * as fc from 'fast-check';
import { type FaultOptions, magicValues, type ProfileChoice } from '@service/mock';
import type { DurationRange } from '@service/mock/profile';
import { settings } from '../../src/domain/settings.ts';

export type Mode = 'test' | 'live';
export type Name = 'A' | 'B';

/** The client of a request: one of two accounts, in one mode. */
export type Who = `${Name}/${Mode}`;

export type Move = 'advance' | 'complete' | 'fail' | 'return';

/** A create. Each idempotency key has a fixed body. */
export interface Create {
  kind: 'create';
  who: Who;
  from: string;
  to: string;
  cents: number;
  account: string;
  key: number | null;
  /** The number of ticks before each piece of the body. Other clients continue in between. */
  pieces: number[];
  /** Whether the client still uses its first API key. */
  isStale: boolean;
}

/** One step of a client. */
export type Command =
  | Create
  | { kind: 'look'; who: Who; at: 'balance' | 'history' | 'payment'; nth: number }
  | { kind: 'walk'; who: Who; perPage: number }
  | { kind: 'move'; nth: number; move: Move }
  | { kind: 'wait'; ms: number }
  | { kind: 'credit'; who: Who; currency: string; cents: number }
  | { kind: 'regenerate'; who: Who }
  | { kind: 'suspend'; name: Name }
  | { kind: 'resume'; name: Name }
  | { kind: 'profile'; name: Name | null; terms: ProfileChoice }
  | { kind: 'fault'; fault: FaultOptions }
  | { kind: 'snapshot' }
  | { kind: 'reset' }
  | { kind: 'restore'; nth: number };

const currency = fc.constantFrom('USD', 'USD', 'EUR', 'JPY');
const who = fc.constantFrom<Who>('A/test', 'A/test', 'A/live', 'B/test', 'B/live');
const name = fc.constantFrom<Name>('A', 'B');
const cents = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 300, max: 40_000 }));
const nth = fc.nat(9);
/** A duration in ticks of the clients. */
export const ticks: fc.Arbitrary<number> = fc.nat(9);
const kind = <Kind extends string>(value: Kind): fc.Arbitrary<Kind> => fc.constant(value);

// Without SIM-HOOK-SHUFFLE: it holds an event until the next one, which may never come, so histories could
// not be compared.
const accounts = ['DE89', ...magicValues].filter((account) => account !== 'SIM-HOOK-SHUFFLE');

const create: fc.Arbitrary<Create> = fc.record({
  kind: kind('create'),
  who,
  from: currency,
  to: currency,
  cents,
  account: fc.constantFrom(...accounts),
  key: fc.constantFrom(null, null, null, 0, 1, 2),
  pieces: fc.array(ticks, { maxLength: 2 }),
  // Shrinks to false.
  isStale: fc.nat(7).map((dice) => dice === 7),
});

const { minorUnits, rounding } = settings;
const percents = (['inside', 'onTop'] as const).map((mode) => ({ percent: '0.5', mode }));
const milliseconds = fc.integer({ min: 0, max: 4_000 });
const durationRange: fc.Arbitrary<DurationRange> = fc.oneof(
  milliseconds,
  fc
    .tuple(milliseconds, milliseconds)
    .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const),
);
export const terms: fc.Arbitrary<ProfileChoice> = fc.record(
  {
    fees: fc.constantFrom(...percents, {}),
    debitAt: fc.record({
      status: fc.constantFrom(...settings.debitAt.fields.status),
      hold: fc.constantFrom(...settings.debitAt.fields.hold),
    }),
    refund: fc.record({
      failed: fc.constantFrom(...settings.refund.fields.failed),
      returned: fc.constantFrom(...settings.refund.fields.returned),
    }),
    statuses: fc.record(
      {
        path: fc.constantFrom(...settings.statuses.fields.path),
        pending: durationRange,
        processing: durationRange,
      },
      { requiredKeys: [] },
    ),
    minorUnits: fc.constantFrom(...minorUnits),
    rounding: fc.constantFrom(...rounding),
  },
  { requiredKeys: [] },
);

const operation = fc.constantFrom(
  'createPayment' as const,
  'getBalance' as const,
  'listTransactions' as const,
);
const fault: fc.Arbitrary<FaultOptions> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('reset_before_commit' as const, 'reset_after_commit' as const),
    operation,
  }),
  fc.record({
    kind: kind('status'),
    status: fc.constantFrom(422, 500, 503),
    commit: fc.boolean(),
    operation,
  }),
);

const commands: fc.MaybeWeightedArbitrary<Command>[] = [
  { weight: 24, arbitrary: create },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: kind('look'),
      who,
      at: fc.constantFrom('balance', 'history', 'payment'),
      nth,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('walk'), who, perPage: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: kind('move'),
      nth,
      move: fc.constantFrom('advance', 'complete', 'fail', 'return'),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: kind('wait'), ms: fc.constantFrom(0, 999, 1000, 3000, 5000) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('credit'), who, currency, cents }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('regenerate'), who }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('suspend'), name }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('resume'), name }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind('profile'),
      name: fc.constantFrom(null, 'A' as const, 'B' as const),
      terms,
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: kind('fault'), fault }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('snapshot') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('restore'), nth }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('reset') }) },
];

export const command: fc.Arbitrary<Command> = fc.oneof(...commands);
