// Random days of an account, compared with records that are partly wrong.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMock, type MockOptions } from '@service/mock';
import { createClient, type Fetch, type PaymentInput } from '@service/sdk';
import { checkStatement, type StatementRecord } from '@service/sdk/statement';
import { runs } from './support/runs.ts';

const DAYS = runs(60, 1_000);
const DAY = { since: '2026-01-31T00:00:00Z', until: '2026-02-01T00:00:00Z' };

const profiles: Readonly<Record<string, MockOptions['profile']>> = {
  documented: {},
  cursors: { pagination: 'cursor', numbers: 'string', timestamps: 'fraction' },
  links: { pagination: 'link', numbers: 'floatTail', timestamps: 'compactOffset' },
  pages: { pagination: 'laravel', absent: 'omit' },
  unlinked: { rows: 'minimal' },
  lateDebit: { debitAt: 'processing', refund: { failed: 'lessFee' } },
};

/** What a service shows of the beneficiary and the purpose. */
const representations = {
  exact: (_, text) => text,
  masked: (field, text) => (field === 'account' ? `***${text.slice(-2)}` : text),
  hidden: (field, text) => (field === 'account' ? null : text),
  upperCase: (_, text) => text.toUpperCase(),
  cut: (field, text) => (field === 'account' ? text : text.slice(0, 5)),
  withoutPurpose: (field, text) => (field === 'purpose' ? null : text),
} satisfies Record<string, (field: string, text: string) => string | null>;
type Representation = keyof typeof representations;
type Send = (...call: Parameters<Fetch>) => Promise<Response>;

function represent(send: Send, representation: Representation): Send {
  return async (url, init) => {
    const response = await send(url, init);
    const body = (await response.json()) as {
      data?: { beneficiary?: Record<string, string | null>; purpose?: string | null };
    };
    const change = (fields: Record<string, unknown> | undefined): void => {
      for (const [name, value] of Object.entries(fields ?? {}))
        if (fields && /^(name|account|purpose)$/.test(name) && typeof value === 'string')
          fields[name] = representations[representation](name, value);
    };
    change(body.data?.beneficiary);
    change(body.data);
    return Response.json(body, response);
  };
}

const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, ...others.map((other) => fc.constant(other)));
// Few values, so that many payments are alike.
const bodies = fc.record({
  from_currency: often('USD', 'EUR'),
  to_currency: often('GBP', 'CHF'),
  amount: often('100.00', '100.5', '1000.00'),
  beneficiary_name: often('Acme', 'Acme Ltd', 'Bolt GmbH'),
  beneficiary_account: often(undefined, 'DE89370400440532013000', 'SIM-FAIL', 'SIM-RETURN', 'SIM-STUCK'),
  purpose: fc.constantFrom(undefined, 'INV-1', 'INV-10', 'INV-2', 'inv 1'),
});
const changes = fc.oneof(
  fc.record({ amount: fc.constantFrom('99.99', '100.00', '99.50') }),
  fc.record({ purpose: fc.constantFrom('INV-1', 'INV-3') }),
  fc.record({ beneficiary_name: fc.constantFrom('Acme', 'Cassia') }),
  fc.record({ beneficiary_account: fc.constantFrom('GB33BUKB20201555555555', 'SIM-FAIL') }),
  fc.record({ to_currency: fc.constantFrom('GBP', 'JPY') }),
);
const lines = fc.record({
  body: bodies,
  /** The hour of the create from the evening before; `unpaid` has no payment. */
  at: fc.oneof(
    { weight: 1, arbitrary: fc.constant('unpaid' as const) },
    { weight: 5, arbitrary: fc.nat(24) },
  ),
  /** How the caller recorded it. */
  record: fc.constantFrom('exact', 'exact', 'exact', 'withId', 'changed', 'changedWithId', 'absent', 'twice'),
  changes,
});
const days = fc.record({
  profile: fc.constantFrom(...Object.keys(profiles)),
  representation: fc.constantFrom(...(Object.keys(representations) as Representation[])),
  lines: fc.array(lines, { maxLength: 7 }),
  /** Whether the check runs while the service does not show the last payments. */
  isEarly: fc.boolean(),
});
type Day = typeof days extends fc.Arbitrary<infer Value> ? Value : never;

const count = { agreeing: 0, differing: 0, missing: 0, extra: 0, undecided: 0, refunded: 0 };

const toHour = ({ at }: Day['lines'][number]): number => (at === 'unpaid' ? 0 : at);

async function checkDay({ profile, representation, lines: all, isEarly }: Day): Promise<void> {
  const readLag = isEarly ? ({ payments: '30s', transactions: '30s' } as const) : undefined;
  const mock = createMock({
    clock: 'manual',
    start: '2026-01-30T23:58:00Z',
    profile: { ...profiles[profile], ...(readLag && { readLag }) },
  });
  const connect = (send: Fetch) =>
    createClient({ apiKey: mock.account.testKey, baseUrl: mock.baseUrl, fetch: send, readLag: 60_000 });
  const payer = connect((url, init) => mock.fetch(url, init));
  const made = new Map<string, { readonly body: PaymentInput; readonly hour: number }>();
  const records = new Map<StatementRecord, string | undefined>();
  let hour = 0;
  const order = all.toSorted((a, b) => toHour(a) - toHour(b));
  for (const { body, at, record, changes: changed } of order) {
    let id: string | undefined;
    if (at !== 'unpaid') {
      // The first hour ends next to the period.
      if (at > hour) await mock.sandbox.clock.advance(`${(at - hour) * 57}m`);
      hour = at;
      ({ id } = await payer.payments.create(body));
      made.set(id, { body, hour });
    }
    if (record === 'absent') continue;
    const isChanged = record.startsWith('changed');
    const payment_id = record.endsWith('Id') ? id : undefined;
    records.set({ ...body, ...(isChanged ? changed : {}), payment_id }, id);
    if (record === 'twice') records.set({ ...body }, undefined);
  }
  const now = Math.max(Date.parse(DAY.since), mock.sandbox.clock.now().getTime());
  const until = isEarly ? now + 1_000 : Date.parse(DAY.until);
  if (!isEarly) await mock.sandbox.clock.advance('26h');

  const methods = new Set<unknown>();
  const client = connect(
    represent(async (url, init) => {
      methods.add(init?.method);
      return mock.fetch(url, init);
    }, representation),
  );
  const statement = await checkStatement(client, [...records.keys()], { ...DAY, until: new Date(until) });
  const { agreeing, differing, missing, extra, undecided } = statement;
  expect([...methods].filter((method) => method !== 'GET')).toEqual([]);

  // Each record is in one list, and each payment agrees with at most one record.
  const asked = undecided.flatMap((question) => question.records);
  const listed = [...[...agreeing, ...differing].map(({ record }) => record), ...missing, ...asked];
  expect(listed.length).toBe(records.size);
  expect(new Set(listed)).toEqual(new Set(records.keys()));
  const paidBy = new Map(agreeing.map(({ record, payment }) => [payment.id, record]));
  expect(paidBy.size).toBe(agreeing.length);

  // No record agrees with a payment that differs. What the service cuts off or never shows cannot be known.
  for (const { record, payment, unconfirmed, refunds } of agreeing) {
    const { body } = made.get(payment.id)!;
    const differences = listDifferences(record, show(body, representation));
    expect(differences.filter((field) => !unconfirmed.includes(field))).toEqual([]);
    const isInside = Date.parse(payment.created_at) >= Date.parse(DAY.since);
    // A purpose in other letters and signs is the same one.
    const isProven = unconfirmed.every(
      (field) => field.startsWith('beneficiary') || !differences.includes(field),
    );
    expect(record.payment_id !== undefined || (isInside && isProven)).toBe(true);
    expect(refunds.length === 0 || payment.status === 'failed').toBe(true);
    count.refunded += refunds.length;
  }
  for (const { record, payment, fields } of differing) {
    expect(fields.length).toBeGreaterThan(0);
    expect(listDifferences(record, made.get(payment.id)!.body)).toEqual(expect.arrayContaining([...fields]));
  }
  // No record is missing whose payment exists, unless another record has it, which is equal if this one is.
  for (const record of missing) {
    const id = records.get(record);
    if (id === undefined) continue;
    const [other, { body }] = [paidBy.get(id)!, made.get(id)!];
    expect([undefined, record]).not.toContain(other);
    expect(listDifferences(record, body).length > 0 || listDifferences(other, body).length === 0).toBe(true);
  }
  // No payment is in no record if it is in one, unless that record has, or can have, another payment of equal fields.
  const missingIds = new Set(missing.map((record) => records.get(record)));
  expect(extra.filter(({ payment }) => missingIds.has(payment.id))).toEqual([]);
  // Each payment of the day is in some list, if the check saw the whole day.
  const seen = [...agreeing, ...differing, ...extra, ...undecided.flatMap(({ payments }) => payments)];
  const seenIds = new Set(seen.map(({ payment }) => payment.id));
  const ofDay = [...made].filter(([, { hour: madeAt }]) => madeAt > 0).map(([id]) => id);
  expect(statement.unseen.length > 0 || ofDay.every((id) => seenIds.has(id))).toBe(true);

  for (const name of Object.keys(count) as (keyof typeof count)[])
    if (name !== 'refunded') count[name] += statement[name].length;
}

/** Returns a body with the texts that the service shows. A masked account is shown in part, and stays as it is. */
function show(body: PaymentInput, representation: Representation): PaymentInput {
  const toText = (field: string, text: string | null | undefined): string | undefined =>
    text ? (representations[representation](field, text) ?? undefined) : undefined;
  const { beneficiary_name, beneficiary_account, purpose } = body;
  return {
    ...body,
    beneficiary_name: toText('name', beneficiary_name) ?? '',
    beneficiary_account:
      representation === 'masked' ? beneficiary_account : toText('account', beneficiary_account),
    purpose: toText('purpose', purpose),
  };
}

function listDifferences(record: StatementRecord, body: PaymentInput): readonly (keyof PaymentInput)[] {
  const toText = (field: string, value: unknown): string =>
    field === 'amount'
      ? String(Number(value))
      : ((value ?? '') as string).toUpperCase().replaceAll(/[^A-Z\d]/g, '');
  const fields = Object.keys(body) as (keyof PaymentInput)[];
  return fields.filter((field) => toText(field, record[field]) !== toText(field, body[field]));
}

describe(`checkStatement in ${DAYS} random days`, () => {
  it('calls nothing equal that differs, and nothing missing that is there', async () => {
    await fc.assert(fc.asyncProperty(days, checkDay), { numRuns: DAYS, seed: 20_261_129 });
    for (const [name, total] of Object.entries(count)) expect([name, total > 0]).toEqual([name, true]);
  });
});
