// Batches of payments with equal amount and purpose to different suppliers, as in a payroll or rent run.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '@service/mock';
import { type Client, createClient, type Fetch, PaymentOutcomeUnknownError } from '@service/sdk';
import { createPayer, memoryStore, type Payer } from '@service/sdk/payer';
import { runs } from './support/runs.ts';

const BATCHES = runs(60, 3_000);
const GROUPS = 3;

const rent = { from_currency: 'USD', to_currency: 'EUR', amount: '100.00', purpose: 'Rent November' };

type Fate = 'created' | 'lost_before' | 'lost_after';
type Representation = 'exact' | 'masked' | 'null' | 'upper_case';

interface Line {
  readonly reference: string;
  readonly beneficiary_name: string;
  readonly beneficiary_account?: string;
  readonly fate: Fate;
}

interface Worker {
  readonly client: Client;
  readonly payer: Payer;
}

interface TestContext {
  readonly mock: Mock;
  readonly open: () => Worker;
}

/** Creates a sandbox with one representation of beneficiaries, and workers that share a store. */
function setUp(representation: Representation = 'exact'): TestContext {
  const mock = createMock({ clock: 'real' });
  const store = memoryStore();
  const fetch: Fetch = async (url, init) => transformBeneficiary(await mock.fetch(url, init), representation);
  const { testKey: apiKey } = mock.account;
  return {
    mock,
    open: () => {
      const client = createClient({ apiKey, baseUrl: mock.baseUrl, fetch, maxRetries: 0, readLag: 0 });
      return { client, payer: createPayer(client, { store }) };
    },
  };
}

async function transformBeneficiary(response: Response, representation: Representation): Promise<Response> {
  const body = (await response.json()) as { data?: { beneficiary?: Record<string, string | null> } };
  const { beneficiary } = body.data ?? {};
  const transforms: Record<Representation, (text: string) => string | null> = {
    exact: (text) => text,
    masked: (text) => `***${text.slice(-4)}`,
    null: () => null,
    upper_case: (text) => text.toUpperCase(),
  };
  if (beneficiary) {
    for (const field of ['name', 'account']) {
      const value = beneficiary[field];
      // Most services that mask accounts return full names.
      if (value && (field === 'account' || representation === 'upper_case'))
        beneficiary[field] = transforms[representation](value);
    }
  }
  return Response.json(body, response);
}

interface Sent {
  readonly line: Line;
  /** The payment in the sandbox, whether or not the client received it. */
  readonly paymentId: string | undefined;
  readonly error: PaymentOutcomeUnknownError | undefined;
}

async function send({ mock }: TestContext, worker: Worker, line: Line, hasReference: boolean): Promise<Sent> {
  const { fate, reference, ...beneficiary } = line;
  if (fate !== 'created') {
    const kind = fate === 'lost_before' ? 'reset_before_commit' : 'reset_after_commit';
    mock.sandbox.faults.inject({ kind, operation: 'createPayment' });
  }
  const before = listPaymentIds(mock);
  const { client, payer } = worker;
  const body = { ...rent, ...beneficiary };
  const create = hasReference ? payer.pay(reference, body) : client.payments.create(body);
  const result = await create.catch((error: unknown) => error);
  const paymentId = listPaymentIds(mock).find((id) => !before.includes(id));
  return { line, paymentId, error: result instanceof PaymentOutcomeUnknownError ? result : undefined };
}

function listPaymentIds(mock: Mock): readonly string[] {
  return mock.sandbox.requests
    .list({ operation: 'createPayment' })
    .flatMap(({ effects }) => effects.payment_id ?? []);
}

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
  representation: fc.constantFrom<Representation>('exact', 'masked', 'null', 'upper_case'),
  /** Whether a payer pays the lines, or the client without references. */
  hasPayer: fc.boolean(),
  /** Whether another client reconciles, which has no cached responses. */
  isFresh: fc.boolean(),
  /** Whether the errors were stored as JSON. */
  isRestored: fc.boolean(),
  isConcurrent: fc.boolean(),
});
type Batch = typeof batches extends fc.Arbitrary<infer Value> ? Value : never;

const count = { found: 0, foundByPayer: 0, ambiguous: 0 };

async function checkBatch(batch: Batch): Promise<void> {
  const { representation, hasPayer, isFresh, isRestored, isConcurrent } = batch;
  const context = setUp(representation);
  const sender = context.open();
  const sent: Sent[] = [];
  for (const [index, line] of batch.lines.entries())
    sent.push(await send(context, sender, { ...line, reference: `line-${index}` }, hasPayer));

  const { client, payer } = isFresh ? context.open() : sender;
  const payAgain = async ({ line, paymentId }: Sent): Promise<void> => {
    const { fate: lost, reference, ...beneficiary } = line;
    const again = await payer.pay(reference, { ...rent, ...beneficiary }).catch(() => undefined);
    if (again === undefined) count.ambiguous += 1;
    else if (lost !== 'created') count.foundByPayer += 1;
    expect([undefined, paymentId]).toContain(again?.id);
  };
  const reconcile = async ({ error, paymentId }: Sent): Promise<void> => {
    if (!error) return;
    const lost = isRestored ? (JSON.parse(JSON.stringify(error)) as typeof error) : error;
    const reconciliation = await client.payments.reconcile(lost);
    if (reconciliation.result === 'ambiguous') count.ambiguous += 1;
    if (reconciliation.result !== 'found') return;
    count.found += 1;
    expect(reconciliation.payment.id).toBe(paymentId);
  };
  const checkLine = hasPayer ? payAgain : reconcile;
  if (isConcurrent) await Promise.all(sent.map(checkLine));
  else for (const one of sent) await checkLine(one);
  expect(listPaymentIds(context.mock).length).toBe(sent.filter(({ paymentId }) => paymentId).length);
}

describe(`payments.reconcile in ${BATCHES} random batches with equal amount and purpose`, () => {
  it.each(Array.from({ length: GROUPS }, (_, group) => group))(
    'finds no payment of another line: group %i',
    async (group) => {
      const parameters = {
        numRuns: Math.ceil(BATCHES / GROUPS),
        seed: 20_261_101 + group,
        endOnFailure: true,
      };
      await fc.assert(fc.asyncProperty(batches, checkBatch), parameters);
    },
  );

  it('finds payments that differ in their beneficiary', () => {
    expect(Math.min(...Object.values(count))).toBeGreaterThan(BATCHES / 50);
  });
});
