// 60 batches of 3 suppliers with equal amount and purpose. 25 % of the creates are lost before the commit and 15 % after it.
// reconcile must never return the payment of another supplier, and no supplier may be reported as paid who is not.
import {
  type Client,
  createClient,
  createDuplicateGuard,
  createMemoryStore,
  isPaymentOutcomeUnknownError,
  type Payment,
  type PaymentInput,
  type PaymentOutcomeUnknownError,
} from '@service/sdk';
import { createRandom } from '../../test/support/random.ts';
import { type KnownPayment, runAgainstAll, type Target } from './support/targets.ts';

const BATCHES = 60;
const SUPPLIERS = ['Alder Ltd', 'Birch Ltd', 'Cedar Ltd'];

/** A line of a batch, with the results of the client. */
interface Line {
  readonly reference: string;
  readonly body: PaymentInput;
  readonly lost: PaymentOutcomeUnknownError | undefined;
  /** Every payment that the client returned as the payment of this line. */
  readonly returned: Payment[];
  result: string;
}

async function payLine(client: Client, line: Pick<Line, 'reference' | 'body'>): Promise<Line> {
  const { reference, body } = line;
  const outcome: unknown = await client.payments.create(body, { reference }).catch((error: unknown) => error);
  if (isPaymentOutcomeUnknownError(outcome)) return { ...line, lost: outcome, returned: [], result: '' };
  if (outcome instanceof Error) throw outcome;
  return { ...line, lost: undefined, returned: [outcome as Payment], result: 'created' };
}

/** Reconciles a lost payment, then creates the line again like a restarted worker. */
async function resumeLine({ payments }: Client, line: Line): Promise<void> {
  if (!line.lost) return;
  const result = await payments.reconcile(line.lost).catch(() => undefined);
  line.result = result?.result ?? 'failed';
  if (result?.result === 'found') line.returned.push(result.payment);
  const again = await payments.create(line.body, { reference: line.reference }).catch(() => undefined);
  if (again) line.returned.push(again);
}

async function payBatches(target: Target): Promise<Line[]> {
  const random = createRandom(11);
  const { apiKey, baseUrl } = target;
  const duplicateGuard = createDuplicateGuard(createMemoryStore());
  const client = createClient({ apiKey, baseUrl, duplicateGuard, maxRetries: 0, readLag: 0 });
  const lines: Line[] = [];
  for (let batch = 1; batch <= BATCHES; batch += 1) {
    const batchLines: Line[] = [];
    for (const [index, beneficiary_name] of SUPPLIERS.entries()) {
      const chance = random();
      if (chance < 0.4) target.dropNextCreate(chance < 0.25 ? 'before' : 'after');
      const sum = { from_currency: 'USD', to_currency: 'EUR', amount: `${100 + batch}.00` };
      const body = { ...sum, beneficiary_name, purpose: 'Rent November' };
      batchLines.push(await payLine(client, { reference: `batch-${batch}-${index}`, body }));
    }
    await target.waitUntilVisible();
    for (const line of batchLines) await resumeLine(client, line);
    lines.push(...batchLines);
  }
  return lines;
}

function report(lines: readonly Line[], known: readonly KnownPayment[]): boolean {
  const own = ({ body }: Line): readonly KnownPayment[] =>
    known.filter((row) => row.beneficiary === body.beneficiary_name && row.amount === Number(body.amount));
  const count = (test: (line: Line) => boolean): number => lines.filter(test).length;
  const isOwn = (line: Line, { id }: Payment): boolean => own(line).some((row) => row.id === id);
  const failures = {
    'found, of another supplier': count(
      (line) => line.result === 'found' && line.returned.some((payment) => !isOwn(line, payment)),
    ),
    'not found yet, although visible': count(
      (line) => line.result === 'not_found_yet' && own(line).length > 0,
    ),
    'unpaid, but reported as paid': count((line) => line.returned.length > 0 && own(line).length === 0),
    'reported with the payment of another': count((line) =>
      line.returned.some((payment) => !isOwn(line, payment)),
    ),
    'paid twice': count((line) => own(line).length > 1),
  };
  const results = ['created', 'found', 'ambiguous', 'cannot_tell', 'not_found_yet', 'failed'];
  console.table({
    creates: lines.length,
    unknown: count((line) => line.lost !== undefined),
    'unknown, and the payment exists': count((line) => line.lost !== undefined && own(line).length > 0),
    ...Object.fromEntries(results.map((name) => [name, count((line) => line.result === name)])),
    ...failures,
  });
  return Object.values(failures).every((failed) => failed === 0);
}

await runAgainstAll(async (target) => report(await payBatches(target), await target.readPayments()));
