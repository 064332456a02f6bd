// The whole journey of the client under everything that the service's document leaves open (contract.md 8). What it reads is
// held against a second sandbox of the same seed, which plays the same rules of money and writes them in the plainest form.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMock, type Mock, type MockOptions } from '@service/mock';
import { createClient, exact, type Payment, type Transaction, type Warning } from '@service/sdk';
import { profileSettings } from '../packages/mock/src/domain/profile.ts';
import { runs } from './support/runs.ts';

type Profile = NonNullable<MockOptions['profile']>;
type Raw = Record<string, unknown>;

/** How the twin writes: in the forms that the contract takes as its defaults. */
const plainly = {
  absent: 'null',
  numbers: 'number',
  timestamps: 'offset',
  pagination: 'page',
  errorShape: 'envelope',
} as const satisfies Profile;

const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: '1000.00' };
const order = { ...exchange, beneficiary_name: 'Acme Supplies Ltd' };
const start = '2026-01-31T12:00:00Z';

/** Asks a sandbox without the client. */
async function ask(mock: Mock, path: string, body?: object): Promise<Raw> {
  const answer = await mock.fetch(`${mock.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${mock.account.testKey}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify({ ...body, amount: 1000 }) }),
  });
  return ((await answer.json()) as { data: Raw }).data;
}

const inTime = ({ created_at, ...rest }: Raw | Payment | Transaction): Raw => ({
  ...rest,
  created_at: Date.parse(String(created_at)),
});

/** Goes the whole way, and returns the warnings on it. */
async function journey(profile: Profile): Promise<string[]> {
  const mock = createMock({ seed: 7, clock: 'manual', start, profile });
  const twin = createMock({ seed: 7, clock: 'manual', start, profile: { ...profile, ...plainly } });
  const warnings: Warning[] = [];
  let isWaiting = false;
  const client = createClient({
    apiKey: mock.account.testKey,
    baseUrl: mock.baseUrl,
    fetch: async (request) => {
      const answer = await mock.fetch(request);
      // Time passes while somebody waits.
      if (isWaiting) await mock.sandbox.clock.advance('1s');
      return answer;
    },
    onWarning: (warning) => warnings.push(warning),
  });

  const quoted = await client.quotes.create(exchange).withResponse();
  expect(quoted.response.status).toBe(profile.quoteStatus ?? 200);
  expect(quoted.data).toEqual(await ask(twin, '/quotes', exchange));

  const made = await client.payments.create(order).withResponse();
  expect(made.response.status).toBe(profile.createStatus ?? 201);
  expect(made).toMatchObject({ mode: 'test', attempts: 1, data: { status: 'pending', send_amount: 1000 } });
  const { id } = made.data;
  expect(inTime(made.data)).toEqual(inTime(await ask(twin, '/payments', order)));
  expect(Number(exact(made.data, 'send_amount'))).toBeCloseTo(1000, 9);
  expect(await client.payments.retrieve(id)).toEqual(made.data);

  await twin.sandbox.clock.advance('10s');
  const seen: string[] = [];
  isWaiting = true;
  const final = await client.payments.waitFor(id, {
    pollInterval: 1,
    onStatus: ({ status }) => void seen.push(status),
  });
  isWaiting = false;
  expect(seen).toEqual(statusesOf(profile));
  expect(inTime(final)).toEqual(inTime(await ask(twin, `/payments/${id}`)));

  expect(await client.balance.retrieve()).toEqual(await ask(twin, '/balance'));
  await checkHistory(client, twin, profile);
  await checkRefusals(mock, profile);
  return warnings.map(({ code }) => code);
}

/** The statuses that a waiter sees when it looks every second. */
function statusesOf({ transitions, unknownStatus }: Profile): string[] {
  if (transitions === 'skip') return ['pending', 'completed'];
  const between = unknownStatus === 'invented' ? ['under_review'] : [];
  return ['pending', 'processing', ...between, 'completed'];
}

/** A row of a page on which no row names a payment keeps what it does not show to itself. */
const withoutNulls = (row: Raw): Raw =>
  expect.objectContaining(
    Object.fromEntries(Object.entries(inTime(row)).filter(([, value]) => value !== null)),
  );

async function checkHistory(
  client: ReturnType<typeof createClient>,
  twin: Mock,
  profile: Profile,
): Promise<void> {
  const { transactions } = (await ask(twin, '/transactions?per_page=100')) as { transactions: Raw[] };
  const walked: Transaction[] = [];
  for await (const row of client.transactions.list({ per_page: 2 })) walked.push(row);
  expect(walked.map(inTime)).toEqual(transactions.map(profile.absent === 'omit' ? withoutNulls : inTime));
  const pages: number[] = [];
  for await (const page of client.transactions.list({ per_page: 2 }).pages())
    pages.push(page.transactions.length);
  expect(pages).toEqual([2, 2]);
  const first = await client.transactions.list({ per_page: 2 });
  expect(first.pagination).toMatchObject({ current_page: 1, has_more: true });
}

async function checkRefusals(mock: Mock, { errorShape = 'envelope' }: Profile): Promise<void> {
  const access = { baseUrl: mock.baseUrl, fetch: mock.fetch, onWarning: () => {} };
  const client = createClient({ apiKey: mock.account.testKey, ...access });
  const isHtml = errorShape === 'html';
  const outcome = isHtml ? 'unknown' : 'rejected';
  const refused = { outcome, status: 422, attempts: 1 };
  const isTyped = errorShape === 'envelope' || errorShape === 'extra';
  await expect(client.payments.create({ ...order, amount: '999999999.00' })).rejects.toMatchObject(
    isHtml
      ? { ...refused, name: 'PaymentOutcomeUnknownError', cause: { name: 'ValidationError' } }
      : { ...refused, name: isTyped ? 'InsufficientFundsError' : 'ValidationError' },
  );
  const unknownId = `pay_test_${'0'.repeat(24)}`;
  await expect(client.payments.retrieve(unknownId)).rejects.toMatchObject({
    name: 'NotFoundError',
    status: 404,
    outcome,
  });
  const stranger = createClient({ apiKey: 'service_test_nobodyknowsthis', ...access });
  await expect(stranger.balance.retrieve()).rejects.toMatchObject({
    name: 'AuthenticationError',
    status: 401,
    outcome,
  });
}

const settings = Object.entries(profileSettings).flatMap(([name, values]) =>
  values.map((value): [string, Profile] => [`${name}: ${value}`, { [name]: value }]),
);
const deprecation = { deprecated: '2026-01-01T00:00:00Z', sunset: '2027-01-01T00:00:00Z' };

describe('the journey of the client', () => {
  it.each(settings)('goes well under %s', async (_, profile) => {
    expect(await journey(profile)).toEqual([]);
  });

  it('goes well while the service is deprecated and sends no events', async () => {
    expect(await journey({ deprecation, events: [] })).toEqual(['deprecated']);
  });

  it('goes well under combinations of all settings', async () => {
    const profiles = fc.record(
      Object.fromEntries(
        Object.entries(profileSettings).map(([name, values]) => [
          name,
          fc.constantFrom<string | number>(...values),
        ]),
      ),
    ) as fc.Arbitrary<unknown> as fc.Arbitrary<Profile>;
    await fc.assert(
      fc.asyncProperty(profiles, async (profile) => {
        expect(await journey(profile)).toEqual([]);
      }),
      { numRuns: runs(40), seed: 20_260_131 },
    );
  });
});
