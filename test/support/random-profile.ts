// Random valid profiles over all settings. Equal seeds give equal profiles.
import { namedPages, namedRows, namedTimestamps } from '@service/internal';
import { defaultProfile, type Profile, type ProfileChoice } from '@service/mock';
import { settings as table } from '../../packages/mock/src/domain/settings.ts';
import { settingChoices } from './setting-choices.ts';
import { createDraw, type Draw, duration, range } from './random-draw.ts';
import { errorBodies, extraRowFields, pages, rowFields } from './random-examples.ts';

type Generators = { readonly [Name in keyof Profile]: (draw: Draw) => NonNullable<ProfileChoice[Name]> };

const keys = <Name extends string>(named: Readonly<Record<Name, unknown>>): Name[] =>
  Object.keys(named) as Name[];

/** A generator for each setting, of values under which the client has all its behaviors. */
const clientGenerators: Generators = {
  ...chooseNamed(),
  timestamps: (draw) =>
    draw.pick([
      ...keys(namedTimestamps),
      { digits: draw.pick([0, 3, 6, 9]), zone: draw.pick(['Z', '+00:00', '+0000', '+01:00', '-0530']) },
    ]),
  rows: (draw) => {
    const fields = { ...rowFields, ...Object.fromEntries(draw.some(Object.entries(extraRowFields))) };
    const row = Object.fromEntries(draw.shuffle(Object.entries(fields)));
    const types = { debit: 'payment', refund: 'refund', deposit: 'deposit', adjustment: 'adjustment' };
    const examples = Object.entries(types).map(([moment, type]) => [
      moment,
      [{ ...row, type, status: moment === 'debit' ? '{status}' : 'completed' }],
    ]);
    return draw.pick([...keys(namedRows), Object.fromEntries(examples)]);
  },
  pagination: (draw) => draw.pick([...keys(namedPages), ...pages]),
  refusals: (draw) =>
    Object.fromEntries(
      draw
        .some(
          [
            'all',
            'authentication',
            'unknown_path',
            'unknown_payment',
            'validation',
            'insufficient_funds',
            'rate_limit',
          ] as const,
          0.3,
        )
        .map((name) => [
          name,
          name === 'all'
            ? draw.pick([
                { body: { message: '{message}' } },
                { body: '<!doctype html><title>{status}</title><p>{message}</p>' },
                { body: draw.pick(errorBodies) },
              ])
            : { body: draw.pick(errorBodies) },
        ]),
    ),
  headers: (draw) => ({
    ...(draw.isTrue() && { createPayment: { 'X-Created': 'yes' } }),
    ...(draw.isTrue() && { all: { 'X-Api-Version': '2026-01', 'Cache-Control': null } }),
    ...(draw.isTrue(0.3) && { event: { 'X-Service-Version': '2' } }),
  }),
  fees: (draw) => ({
    percent: `${draw.whole(0, 2)}.${draw.whole(10, 99)}`,
    ...(draw.isTrue(0.3) && { flat: `${draw.whole(0, 4)}.50` }),
    ...(draw.isTrue(0.3) && { minimum: '0.50' }),
    ...(draw.isTrue(0.3) && { maximum: '50.00' }),
    ...(draw.isTrue() && { mode: draw.pick(['inside', 'onTop'] as const) }),
  }),
  rates: (draw) => ({
    ...(draw.isTrue(0.4) && { pairs: { 'USD/EUR': `0.${draw.whole(8000, 9999)}` } }),
    ...(draw.isTrue(0.4) && { spread: `0.00${draw.whole(1, 9)}` }),
  }),
  currencies: (draw) => ({
    ...(draw.isTrue(0.3) && {
      codes: ['EUR', 'GBP', 'JPY', 'USD', ...draw.some(['AED', 'CHF', 'NGN'])].join(' '),
    }),
    case: draw.pick(['strict', 'normalise']),
    same: draw.pick(['allow', 'reject']),
  }),
  wallets: ({ pick }) => pick(['default', { EUR: '100000.00', USD: '100000.00', GBP: '50.00' }]),
  amounts: ({ pick }) => ({
    minimum: pick(['0.01', '0.10', '0.50']),
    maximum: pick(['999999999.99', '2000000.00', '5000000.00']),
    text: pick(['reject', 'accept']),
    precision: pick(['reject', 'round', 'truncate', 'roundQuotes', 'truncateQuotes']),
  }),
  texts: ({ whole, pick }) => ({
    limit: whole(255, 500),
    empty: pick(['reject', 'keep', 'absent']),
    number: pick(['reject', 'accept']),
  }),
  statuses: (draw) => ({
    path: draw.pick(['walk', 'skip']),
    ...(draw.isTrue() && { pending: range(draw, 0, 4_000) }),
    ...(draw.isTrue() && { processing: range(draw, 2_000, 6_000) }),
    ...(draw.isTrue() && { completed: range(draw, 1_000, 9_000) }),
  }),
  outcomes: ({ some }) => [
    ...some([
      { amount: '*.99', outcome: 'fail' as const },
      { name: 'Fail Ltd', outcome: 'fail_early' as const },
      { account: 'XX*', outcome: 'stuck' as const },
    ]),
    ...defaultProfile.outcomes,
  ],
  retrySchedule: (draw) =>
    draw.pick([
      'default',
      'none',
      Array.from({ length: draw.whole(1, 5) }, () => duration(draw, 100, 60_000)),
    ]),
  // Some behaviors expect events without a delay.
  deliveryFaults: ({ isTrue, pick }) =>
    isTrue() ? 'none' : { duplicates: pick([0, 0.2, 1]), reorder: pick([0, 0.3]) },
  rateLimit: (draw) =>
    draw.isTrue() ? 'none' : { requests: draw.whole(500, 900), window: duration(draw, 1_000, 60_000) },
  // The behaviors read immediately after a create.
  readLag: () => ({}),
  events: ({ isTrue, some }) =>
    isTrue() ? defaultProfile.events : some(['pending', 'processing', 'completed', 'failed'] as const),
};

/** Generators of values that a client meets only with options, or after some time. */
const otherGenerators: Partial<Generators> = {
  readLag: (draw) => ({
    ...(draw.isTrue(0.3) && { payments: duration(draw, 100, 1_000) }),
    ...(draw.isTrue(0.3) && { balance: duration(draw, 100, 1_000) }),
    ...(draw.isTrue(0.3) && { transactions: duration(draw, 100, 3_000) }),
  }),
};

/** Returns a generator for each setting, and each field of a setting, with a list of values. */
function chooseNamed(): Generators {
  const entries = Object.entries<object>(table).flatMap(
    ([name, row]): [string, (draw: Draw) => unknown][] => {
      if (Array.isArray(row)) return [[name, ({ pick }) => pick<string | number>(row)]];
      if (!('fields' in row) || 'schema' in row) return [];
      const fields = Object.entries(row.fields as Readonly<Record<string, readonly (string | number)[]>>);
      return [
        [
          name,
          ({ pick }) =>
            Object.fromEntries(fields.map(([field, values]) => [field, pick<string | number>(values)])),
        ],
      ];
    },
  );
  return Object.fromEntries(entries) as Generators;
}

/** The names of all settings. */
export const settingNames = Object.keys(clientGenerators) as (keyof Profile)[];

/** A random profile: about half of its settings differ from the default. */
export interface RandomProfileOptions {
  /** Whether reads are behind the payments in some profiles. */
  readonly hasReadLag?: boolean;
}

/** Creates a random profile. */
export function createRandomProfile(
  seed: number,
  { hasReadLag = false }: RandomProfileOptions = {},
): ProfileChoice {
  const draw = createDraw(seed);
  const generators: Generators = hasReadLag ? { ...clientGenerators, ...otherGenerators } : clientGenerators;
  return Object.fromEntries(draw.some(settingNames).map((name) => [name, generators[name](draw)]));
}

/** Returns values of a setting other than the default: the named ones, or some random ones, at most as many as `most`. */
export function listValues(name: keyof Profile, most = 2): unknown[] {
  const named: readonly unknown[] = settingChoices[name] ?? [];
  const random = Array.from({ length: SAMPLES }, (_, seed) =>
    ({ ...clientGenerators, ...otherGenerators })[name](createDraw(seed)),
  );
  const texts = new Set([...named, ...random].map((value) => JSON.stringify(value)));
  texts.delete(JSON.stringify(defaultProfile[name]));
  return [...texts].slice(0, Math.max(named.length - 1, most)).map((text) => JSON.parse(text) as unknown);
}

/** The number of random values from which `listValues` chooses. */
const SAMPLES = 6;
