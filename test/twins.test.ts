// Batches of payments of equal amount and purpose to different suppliers, as a payroll or a rent run has them.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '@service/mock';
import {
  type Client,
  createClient,
  createDuplicateGuard,
  createMemoryStore,
  isPaymentOutcomeUnknownError,
  type PaymentOutcomeUnknownError,
} from '@service/sdk';
import { runs } from './support/runs.ts';

const BATCHES = runs(300);
const GROUPS = 3;

const rent = { from_currency: 'USD', to_currency: 'EUR', amount: '100.00', purpose: 'Rent November' };

type Fate = 'created' | 'lost_before' | 'lost_after';
type Echo = 'exact' | 'masked' | 'null' | 'upper_case';

interface Line {
  readonly reference: string;
  readonly beneficiary_name: string;
  readonly beneficiary_account?: string;
  readonly fate: Fate;
}

interface World {
  readonly mock: Mock;
  readonly open: () => Client;
}

/** A sandbox whose payments show their beneficiary in one way, with a guard for all of its clients or without one. */
function setUp(echo: Echo = 'exact', hasGuard = false): World {
  const mock = createMock({ clock: 'real' });
  const guard = hasGuard ? { duplicateGuard: createDuplicateGuard(createMemoryStore()) } : {};
  const fetch = async (request: Request): Promise<Response> => alter(await mock.fetch(request), echo);
  const { testKey: apiKey } = mock.account;
  return {
    mock,
    open: () => createClient({ apiKey, baseUrl: mock.baseUrl, fetch, maxRetries: 0, ...guard }),
  };
}

async function alter(response: Response, echo: Echo): Promise<Response> {
  const body = (await response.json()) as { data?: { beneficiary?: Record<string, string | null> } };
  const { beneficiary } = body.data ?? {};
  const show: Record<Echo, (text: string) => string | null> = {
    exact: (text) => text,
    masked: (text) => `***${text.slice(-4)}`,
    null: () => null,
    upper_case: (text) => text.toUpperCase(),
  };
  if (beneficiary) {
    for (const field of ['name', 'account']) {
      const shown = beneficiary[field];
      // A service that hides accounts usually shows names.
      if (shown && (field === 'account' || echo === 'upper_case')) beneficiary[field] = show[echo](shown);
    }
  }
  return Response.json(body, response);
}

interface Sent {
  readonly line: Line;
  /** The payment that was made, whatever the client learned of it. */
  readonly madeId: string | undefined;
  readonly error: PaymentOutcomeUnknownError | undefined;
}

async function send({ mock }: World, client: Client, line: Line, hasReference: boolean): Promise<Sent> {
  const { fate, reference, ...beneficiary } = line;
  if (fate !== 'created') {
    const kind = fate === 'lost_before' ? 'reset_before_commit' : 'reset_after_commit';
    mock.sandbox.faults.inject({ kind, operation: 'createPayment' });
  }
  const before = listMade(mock);
  const result = await client.payments
    .create({ ...rent, ...beneficiary }, hasReference ? { reference } : {})
    .catch((error: unknown) => error);
  const madeId = listMade(mock).find((id) => !before.includes(id));
  return { line, madeId, error: isPaymentOutcomeUnknownError(result) ? result : undefined };
}

function listMade(mock: Mock): readonly string[] {
  return mock.sandbox.requests
    .list({ operation: 'createPayment' })
    .flatMap(({ effects }) => effects.payment_id ?? []);
}

describe('payments.reconcile and the guard', () => {
  it('do not take the payment of one supplier for the lost one of another', async () => {
    const world = setUp('exact', true);
    const client = world.open();
    await client.payments.create({ ...rent, beneficiary_name: 'A' }, { reference: 'line-1' });
    const lost = { reference: 'line-2', beneficiary_name: 'B', fate: 'lost_before' } as const;
    const { error } = await send(world, client, lost, true);
    expect(await client.payments.reconcile(error as PaymentOutcomeUnknownError)).toEqual({
      result: 'not_found_yet',
    });
    const again = client.payments.create({ ...rent, beneficiary_name: 'B' }, { reference: 'line-2' });
    await expect(again).rejects.toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent' });
  });

  it('leave two equal lines to a person, since one payment may be of either', async () => {
    const world = setUp('exact', true);
    const client = world.open();
    const line = { beneficiary_name: 'A', beneficiary_account: 'GB33BUKB20201555555555' } as const;
    const errors: PaymentOutcomeUnknownError[] = [];
    for (const [reference, fate] of [
      ['line-1', 'lost_after'],
      ['line-2', 'lost_before'],
    ] as const) {
      const { error } = await send(world, client, { ...line, reference, fate }, true);
      if (error) errors.push(error);
    }
    const answers = await Promise.all(errors.map((error) => client.payments.reconcile(error)));
    expect(answers.map(({ result }) => result).toSorted()).toEqual(['ambiguous', 'ambiguous']);
  });
});

describe('60 batches of 3 suppliers with equal amount and purpose', () => {
  it.each([
    ['without a guard', false],
    ['with a guard', true],
  ])('yield no payment of another supplier %s', async (_, hasGuard) => {
    const fates = fc.sample(
      fc.oneof(
        { weight: 60, arbitrary: fc.constant<Fate>('created') },
        { weight: 25, arbitrary: fc.constant<Fate>('lost_before') },
        { weight: 15, arbitrary: fc.constant<Fate>('lost_after') },
      ),
      { numRuns: 180, seed: 20_261_101 },
    );
    const count = { unknown: 0, found: 0, wrong: 0, made: 0 };
    for (let batch = 0; batch < 60; batch += 1) {
      const world = setUp('exact', hasGuard);
      const client = world.open();
      const sent: Sent[] = [];
      for (const [index, name] of ['Acme', 'Borealis', 'Cassia'].entries()) {
        const fate = fates[batch * 3 + index] ?? 'created';
        const line = { reference: name, beneficiary_name: name, fate };
        sent.push(await send(world, client, line, hasGuard));
      }
      for (const { error, madeId } of sent) {
        if (!error) continue;
        const answer = await client.payments.reconcile(error);
        count.unknown += 1;
        if (madeId) count.made += 1;
        if (answer.result !== 'found') continue;
        count.found += 1;
        if (answer.payment.id !== madeId) count.wrong += 1;
      }
    }
    expect(count).toMatchObject({ wrong: 0, found: count.made });
    expect(Math.min(count.made, count.unknown - count.made)).toBeGreaterThan(20);
  });
});

const fate = fc.constantFrom<Fate>('created', 'lost_before', 'lost_after');
const accounts = ['GB33BUKB20201555555555', 'FR7630006000011234567890189', '00012345', '99912345'];
const names = ['Acme', 'Acme Ltd', 'CASSIA', 'Borealis', 'Borealis GmbH'];

const withAccounts = fc.uniqueArray(
  fc.record({
    beneficiary_name: fc.constantFrom(...names),
    beneficiary_account: fc.constantFrom(...accounts),
    fate,
  }),
  {
    minLength: 2,
    maxLength: 5,
    selector: (line) => `${line.beneficiary_name} ${line.beneficiary_account}`,
  },
);
const withoutAccounts = fc.uniqueArray(fc.record({ beneficiary_name: fc.constantFrom(...names), fate }), {
  minLength: 2,
  maxLength: 5,
  selector: (line) => line.beneficiary_name,
});
const batches = fc.record({
  lines: fc.oneof(withAccounts, withoutAccounts),
  echo: fc.constantFrom<Echo>('exact', 'masked', 'null', 'upper_case'),
  hasGuard: fc.boolean(),
  /** Whether another client reconciles, which saw no response to a create. */
  isFresh: fc.boolean(),
  /** Whether the errors were stored as JSON. */
  isRestored: fc.boolean(),
  isAtOnce: fc.boolean(),
});
type Batch = typeof batches extends fc.Arbitrary<infer Value> ? Value : never;

const count = { found: 0, foundByGuard: 0, ambiguous: 0 };

async function checkBatch(batch: Batch): Promise<void> {
  const { echo, hasGuard, isFresh, isRestored, isAtOnce } = batch;
  const world = setUp(echo, hasGuard);
  const sender = world.open();
  const sent: Sent[] = [];
  for (const [index, line] of batch.lines.entries())
    sent.push(await send(world, sender, { ...line, reference: `line-${index}` }, hasGuard));

  const client = isFresh ? world.open() : sender;
  const checkLine = async ({ error, madeId }: Sent): Promise<void> => {
    if (!error) return;
    const lost = isRestored ? (JSON.parse(JSON.stringify(error)) as typeof error) : error;
    const answer = await client.payments.reconcile(lost);
    if (answer.result === 'ambiguous') count.ambiguous += 1;
    if (answer.result !== 'found') return;
    count[isRestored ? 'foundByGuard' : 'found'] += 1;
    expect(answer.payment.id).toBe(madeId);
  };
  if (isAtOnce) await Promise.all(sent.map(checkLine));
  else for (const one of sent) await checkLine(one);

  if (!hasGuard) return;
  for (const { line, madeId } of sent) {
    const { fate: _, reference, ...beneficiary } = line;
    const again = await client.payments
      .create({ ...rent, ...beneficiary }, { reference })
      .catch(() => undefined);
    expect([undefined, madeId]).toContain(again?.id);
  }
  expect(listMade(world.mock).length).toBe(sent.filter(({ madeId }) => madeId).length);
}

describe(`${BATCHES} random batches with equal amount and purpose`, () => {
  it.each(Array.from({ length: GROUPS }, (_, group) => group))(
    'yield no payment of another line: group %i',
    async (group) => {
      const parameters = {
        numRuns: Math.ceil(BATCHES / GROUPS),
        seed: 20_261_101 + group,
        endOnFailure: true,
      };
      await fc.assert(fc.asyncProperty(batches, checkBatch), parameters);
    },
  );

  it('yield those that can be told apart', () => {
    expect(Math.min(...Object.values(count))).toBeGreaterThan(BATCHES / 50);
  });
});
