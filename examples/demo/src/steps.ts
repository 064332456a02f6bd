import {
  AuthenticationError,
  InsufficientFundsError,
  createClient,
  type Payment,
  type ServiceError,
  type Transaction,
} from '@service/sdk';
import { sign } from '@service/webhooks';
import type { Environment } from './environment.ts';
import type { Report } from './report.ts';

const supplier = { from_currency: 'USD', to_currency: 'EUR', beneficiary_name: 'Acme Supplies Ltd' };

async function readBalance({ client }: Environment, currency: string): Promise<number | undefined> {
  const { balances } = await client.balance.retrieve();
  return balances.find((wallet) => wallet.currency === currency)?.balance;
}

/** Creates a payment, waits for its final status, and checks its webhooks. */
export async function pay(environment: Environment, { section, note, check }: Report): Promise<void> {
  section('Payment');
  check('the USD balance is 100000', (await readBalance(environment, 'USD')) === 100000);
  const quote = await environment.client.quotes.create({ ...currencyPair(), amount: '1000.00' });
  note(`quote: 1000 USD, fee ${quote.fee}, rate ${quote.rate}, receive_amount ${quote.receive_amount} EUR`);
  check('the quote has the exact fee and receive_amount', quote.fee === 5 && quote.receive_amount === 916.69);

  const created = await environment.client.payments.create({
    ...supplier,
    amount: '1000.00',
    purpose: 'INV-2026-0042',
  });
  note(`created ${created.id}: ${created.status}`);
  check('the create debits the balance', (await readBalance(environment, 'USD')) === 99000);
  const done = await environment.client.payments.waitFor(created.id, {
    onStatus: ({ status }) => note(`status: ${status}`),
  });
  check('the payment is completed', done.status === 'completed');
  await checkEvents(environment, { check, payment: done, statuses: ['pending', 'processing', 'completed'] });
}

function currencyPair(): { from_currency: string; to_currency: string } {
  return { from_currency: supplier.from_currency, to_currency: supplier.to_currency };
}

type Expected = Pick<Report, 'check'> & { payment: Payment; statuses: string[] };

async function checkEvents(
  { mock, handled }: Environment,
  { check, payment, statuses }: Expected,
): Promise<void> {
  await mock.sandbox.idle();
  const received = handled.flatMap((event) =>
    event.kind === 'payment' && event.data.id === payment.id ? [event.data.status] : [],
  );
  check(
    `the receiver verified a webhook per status: ${received.join(', ')}`,
    received.join() === statuses.join(),
  );
}

/** Creates a payment that fails, and checks its refund. */
export async function failAndRefund(environment: Environment, { section, check }: Report): Promise<void> {
  section('Failed payment');
  const before = await readBalance(environment, 'USD');
  const { id } = await environment.client.payments.create({
    ...supplier,
    amount: 250,
    beneficiary_account: 'SIM-FAIL',
  });
  const failed = await environment.client.payments.waitFor(id);
  check('waitFor resolves with the failed payment', failed.status === 'failed');
  check('the refund includes the fee', (await readBalance(environment, 'USD')) === before);
  await checkEvents(environment, { check, payment: failed, statuses: ['pending', 'processing', 'failed'] });
}

/** Returns the error of a rejected call. */
async function errorOf(call: Promise<unknown>): Promise<ServiceError | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => error as ServiceError,
  );
}

/** Sends a payment beyond the balance, and a request with an unknown API key. */
export async function sendRejectedRequests(
  environment: Environment,
  { section, note, check }: Report,
): Promise<void> {
  section('Rejected requests');
  const tooLarge = await errorOf(environment.client.payments.create({ ...supplier, amount: '5000000.00' }));
  check(
    'a payment beyond the balance gives InsufficientFundsError',
    tooLarge instanceof InsufficientFundsError,
  );
  note(`"${tooLarge?.message}" Outcome: ${tooLarge?.outcome}. No payment was created.`);
  const unauthenticated = createClient({ apiKey: 'service_test_unknown', baseUrl: environment.baseUrl });
  check(
    'an unknown API key gives AuthenticationError',
    (await errorOf(unauthenticated.balance.retrieve())) instanceof AuthenticationError,
  );
}

/** Sends a changed webhook and a duplicate to the receiver. */
export async function receiveForgedWebhook(
  { webhookUrl, secret, handled, rejected }: Environment,
  { section, check }: Report,
): Promise<void> {
  section('Forged and duplicate webhooks');
  const original = JSON.stringify(handled.at(-1), (key, value: unknown) =>
    key === 'kind' ? undefined : value,
  );
  const signature = sign(original, secret);
  const send = async (body: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-service-signature': signature };
    return (await fetch(webhookUrl, { method: 'POST', headers, body })).status;
  };
  const count = handled.length;
  const status = await send(original.replace('failed', 'fAiled'));
  check(`a changed body gets ${status}: ${rejected.join()}`, status === 401 && rejected.length === 1);
  check(
    'a duplicate gets 200 and is not handled again',
    (await send(original)) === 200 && handled.length === count,
  );
}

/** Compares the sums of the transactions with the balances. */
export async function reconcileBalances(
  environment: Environment,
  { section, note, check }: Report,
): Promise<void> {
  section('Reconciliation');
  const sums = new Map<string, bigint>();
  for await (const row of environment.client.transactions.list()) {
    sums.set(row.currency, (sums.get(row.currency) ?? 0n) + toHundredths(row.amount));
    note(formatTransaction(row));
  }
  const { balances } = await environment.client.balance.retrieve();
  const isEqual = balances.every(({ currency, balance }) => sums.get(currency) === toHundredths(balance));
  check('the transactions of each currency sum to its balance', isEqual);
}

function formatTransaction({ type, status, amount, currency, reference }: Transaction): string {
  return `${type.padEnd(8)} ${status.padEnd(10)} ${amount.toFixed(2).padStart(10)} ${currency}  ${reference ?? ''}`.trimEnd();
}

/** Converts an amount through its decimal text, because `amount * 100` is not exact for every double. */
function toHundredths(amount: number): bigint {
  return BigInt(amount.toFixed(2).replace('.', ''));
}
