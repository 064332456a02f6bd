// Random valid profiles over all settings. Equal seeds give equal profiles.
import {
  documentedBalance,
  documentedEvent,
  documentedPayment,
  documentedQuote,
  namedErrors,
  namedPages,
  namedRows,
  namedTimestamps,
} from '@service/internal';
import { defaultProfile, type Profile, type ProfileChoice, profileSettings } from '@service/mock';
import { settings as table } from '../../packages/mock/src/domain/settings.ts';
import { createDraw, type Draw, duration, range } from './random-draw.ts';
import {
  errorBodies,
  extraRowFields,
  idForm,
  issueBody,
  pages,
  rowFields,
  widen,
} from './random-templates.ts';

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
  transactionShape: (draw) =>
    draw.pick([
      ...keys(namedRows),
      [
        {
          of: 'any' as const,
          row: Object.fromEntries(
            draw.shuffle(
              Object.entries({
                ...rowFields,
                ...Object.fromEntries(draw.some(Object.entries(extraRowFields))),
              }),
            ),
          ),
        },
      ],
    ]),
  pagination: (draw) => draw.pick([...keys(namedPages), ...pages]),
  errorShape: (draw) => draw.pick([...keys(namedErrors), ...errorBodies.map((body) => ({ body }))]),
  refusals: (draw) =>
    Object.fromEntries(
      draw
        .some(
          [
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
          {
            body: draw.pick(name === 'validation' ? [...errorBodies, issueBody] : errorBodies),
            headers: { 'X-Reason': '{type}' },
          },
        ]),
    ),
  issues: (draw) => ({
    ...(draw.isTrue() && { missing: [{ loc: ['body', '{field}'], type: 'missing' }] }),
    ...(draw.isTrue() && { amount_type: [{ loc: ['body', '{field}'], type: 'number_type' }] }),
    other: [{ loc: ['body', '{field}'], type: 'value_error', msg: '{problem}' }],
  }),
  problems: ({ pick }) =>
    pick([{}, { listed: 'first' as const }, { fields: ['amount', 'to_currency', 'from_currency'] }]),
  quoteShape: (draw) =>
    widen(draw, documentedQuote, {
      total: '{debit}',
      cents: { receive_amount: '{receive_amount cents}' },
      text: { rate: '{rate text}' },
    }),
  paymentShape: (draw) =>
    widen(draw, documentedPayment, {
      fee: '{fee}',
      updated_at: '{updated_at}',
      mode: '{mode}',
      object: 'payment',
      completed_at: '{completed_at}',
      failure: { '{case status}': { failed: { code: 'declined' }, else: null } },
      links: { self: '/api/v1/payments/{id}' },
    }),
  balanceShape: (draw) =>
    widen(
      draw,
      draw.pick([
        documentedBalance,
        {
          balances: [
            '{each wallets}',
            { currency: '{currency}', balance: '{balance}', available: '{available}', held: '{reserved}' },
          ],
        },
      ]),
      { object: 'balance' },
    ),
  eventShape: (draw) => widen(draw, documentedEvent, { id: '{id}-{status}', api_version: '2026-01' }),
  headers: (draw) => ({
    ...(draw.isTrue() && { createPayment: { Location: '/api/v1/payments/{id}' } }),
    ...(draw.isTrue() && { all: { 'X-RateLimit-Remaining': '{remaining}', 'X-Api-Version': '2026-01' } }),
    ...(draw.isTrue(0.3) && { event: { 'X-Service-Delivery': '{delivery}', 'X-Event': '{status}' } }),
  }),
  ids: (draw) => ({
    ...(draw.isTrue() && { payment: `pay_{mode}_${idForm(draw)}` }),
    ...(draw.isTrue() && { transaction: draw.pick(['{number}', `txn_${idForm(draw)}`, idForm(draw)]) }),
  }),
  fees: (draw) => [
    ...draw.some(
      [
        { from: 'EUR', flat: '2.50' },
        { to: 'GBP', percent: '0.25', minimum: '0.10' },
      ],
      0.4,
    ),
    {
      percent: `${draw.whole(0, 2)}.${draw.whole(10, 99)}`,
      ...(draw.isTrue(0.3) && { flat: `${draw.whole(0, 4)}.50` }),
      ...(draw.isTrue(0.3) && { minimum: '0.50' }),
      ...(draw.isTrue(0.3) && { maximum: '50.00' }),
      ...(draw.isTrue() && { mode: draw.pick(['inside', 'onTop', 'inRate'] as const) }),
    },
  ],
  rates: (draw) => ({
    ...(draw.isTrue(0.4) && { pairs: { 'USD/EUR': `0.${draw.whole(8000, 9999)}` } }),
    ...(draw.isTrue(0.4) && { spread: `0.00${draw.whole(1, 9)}` }),
    ...(draw.isTrue(0.3)
      ? { moves: { by: '0.01', every: duration(draw, 1_000, 60_000) } }
      : draw.isTrue(0.3) && {
          tiers: [{ from: { EUR: `${draw.whole(5, 90)}00.00` }, spread: `0.00${draw.whole(1, 9)}` }],
        }),
  }),
  currencies: (draw) => ({
    ...(draw.isTrue(0.3) && { codes: ['EUR', 'GBP', 'JPY', 'USD', ...draw.some(['AED', 'CHF', 'NGN'])] }),
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
  durations: (draw) => ({
    ...(draw.isTrue() && { pending: range(draw, 0, 4_000) }),
    ...(draw.isTrue() && { processing: range(draw, 2_000, 6_000) }),
    ...(draw.isTrue() && { completed: range(draw, 1_000, 9_000) }),
  }),
  outcomes: ({ some }) => [
    ...some([
      { amount: { suffix: '.99' }, outcome: 'fail' as const },
      { name: { equals: 'Fail Ltd' }, outcome: 'fail_early' as const },
      { account: { prefix: 'XX' }, outcome: 'stuck' as const },
    ]),
    ...defaultProfile.outcomes,
  ],
  extraStatuses: (draw) =>
    draw.some(
      [
        { status: 'queued', after: 'pending' as const, duration: range(draw, 2_000, 4_000) },
        { status: 'held', after: 'pending' as const, amount: { from: '5000.00' }, webhook: draw.isTrue() },
        { status: 'settling', after: 'processing' as const, webhook: draw.isTrue() },
        { status: 'under_review', after: 'processing' as const },
      ],
      0.25,
    ),
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
  // Real time.
  latency: () => 0,
  events: ({ isTrue, some }) =>
    isTrue() ? defaultProfile.events : some(['pending', 'processing', 'completed', 'failed'] as const),
  beside: (draw) => ({
    ...(draw.isTrue() && {
      all: { trace: { request_id: '{request_id uuid}', timestamp: '{now digits=3 zone=Z}' } },
    }),
    ...(draw.isTrue() && {
      createPayment: { links: { self: '/api/v1/payments/{id}' } },
      getPayment: { links: { self: '/api/v1/payments/{id}' }, state: '{status upper}' },
    }),
  }),
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
  const named: readonly unknown[] = profileSettings[name as keyof typeof profileSettings] ?? [];
  const random = Array.from({ length: SAMPLES }, (_, seed) =>
    ({ ...clientGenerators, ...otherGenerators })[name](createDraw(seed)),
  );
  const texts = new Set([...named, ...random].map((value) => JSON.stringify(value)));
  texts.delete(JSON.stringify(defaultProfile[name]));
  return [...texts].slice(0, Math.max(named.length - 1, most)).map((text) => JSON.parse(text) as unknown);
}

/** The number of random values from which `listValues` chooses. */
const SAMPLES = 6;
