import {
  isAuthenticationError,
  isInsufficientFundsError,
  createClient,
  type Payment,
  type ServiceError,
  type Transaction,
} from '@service/sdk';
import { sign } from '@service/webhooks';
import type { Account } from './account.ts';
import type { Stage } from './stage.ts';

const supplier = { from_currency: 'USD', to_currency: 'EUR', beneficiary_name: 'Acme Supplies Ltd' };

/** Reads the available balance of a currency. */
async function readBalance({ client }: Stage, currency: string): Promise<number | undefined> {
  const { balances } = await client.balance.retrieve();
  return balances.find((wallet) => wallet.currency === currency)?.balance;
}

/** Pays a supplier and follows the payment to its end, with a webhook for every status. */
export async function pay(stage: Stage, { chapter, say, check }: Account): Promise<void> {
  chapter('A payment');
  check('the USD wallet holds 100000', (await readBalance(stage, 'USD')) === 100000);
  const quote = await stage.client.quotes.create({ ...pair(), amount: '1000.00' });
  say(`1000 USD cost a fee of ${quote.fee} and become ${quote.receive_amount} EUR at ${quote.rate}`);
  check('the quote is right to the cent', quote.fee === 5 && quote.receive_amount === 916.69);

  const created = await stage.client.payments.create({
    ...supplier,
    amount: '1000.00',
    purpose: 'INV-2026-0042',
  });
  say(`created ${created.id}: ${created.status}`);
  check('the money left the wallet at once', (await readBalance(stage, 'USD')) === 99000);
  const done = await stage.client.payments.waitFor(created.id, {
    onStatus: ({ status }) => say(`now ${status}`),
  });
  check('it is completed', done.status === 'completed');
  await checkEvents(stage, { check, payment: done, statuses: ['pending', 'processing', 'completed'] });
}

function pair(): { from_currency: string; to_currency: string } {
  return { from_currency: supplier.from_currency, to_currency: supplier.to_currency };
}

type Expected = Pick<Account, 'check'> & { payment: Payment; statuses: string[] };

async function checkEvents({ mock, handled }: Stage, { check, payment, statuses }: Expected): Promise<void> {
  await mock.sandbox.idle();
  const seen = handled.flatMap((event) =>
    event.kind === 'payment' && event.data.id === payment.id ? [event.data.status] : [],
  );
  check(
    `every status came as a webhook, signed and verified: ${seen.join(', ')}`,
    seen.join() === statuses.join(),
  );
}

/** Lets a payment fail and sees the money come back. */
export async function failAndRefund(stage: Stage, { chapter, check }: Account): Promise<void> {
  chapter('A payment that fails');
  const before = await readBalance(stage, 'USD');
  const { id } = await stage.client.payments.create({
    ...supplier,
    amount: 250,
    beneficiary_account: 'SIM-FAIL',
  });
  const failed = await stage.client.payments.waitFor(id);
  check('it is failed, which is a result and not an exception', failed.status === 'failed');
  check('the wallet has it all back, fee included', (await readBalance(stage, 'USD')) === before);
  await checkEvents(stage, { check, payment: failed, statuses: ['pending', 'processing', 'failed'] });
}

/** Catches what a call was refused with. */
async function refusalOf(call: Promise<unknown>): Promise<ServiceError | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => error as ServiceError,
  );
}

/** Asks for too much, and with a wrong key. */
export async function beRefused(stage: Stage, { chapter, say, check }: Account): Promise<void> {
  chapter('What is refused');
  const greedy = await refusalOf(stage.client.payments.create({ ...supplier, amount: '5000000.00' }));
  check('a payment beyond the balance is an InsufficientFundsError', isInsufficientFundsError(greedy));
  say(`"${greedy?.message}" Outcome: ${greedy?.outcome}, so there is no such payment.`);
  const stranger = createClient({ apiKey: 'service_test_nobody', baseUrl: stage.baseUrl });
  check(
    'a wrong key is an AuthenticationError',
    isAuthenticationError(await refusalOf(stranger.balance.retrieve())),
  );
}

/** Sends the receiver a forged webhook, and a genuine one for the second time. */
export async function forge(
  { hooksUrl, secret, handled }: Stage,
  { chapter, check }: Account,
): Promise<void> {
  chapter('A forged webhook');
  const genuine = JSON.stringify(handled.at(-1), (key, value: unknown) =>
    key === 'kind' ? undefined : value,
  );
  const signature = sign(genuine, secret);
  const send = async (body: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-service-signature': signature };
    return (await fetch(hooksUrl, { method: 'POST', headers, body })).status;
  };
  const count = handled.length;
  check(
    'one byte changed: the receiver answers 401',
    (await send(genuine.replace('failed', 'fAiled'))) === 401,
  );
  check(
    'sent again as it was: 200, and not handled twice',
    (await send(genuine)) === 200 && handled.length === count,
  );
}

/** Adds up the transactions and compares them with the balances. */
export async function reconcile(stage: Stage, { chapter, say, check }: Account): Promise<void> {
  chapter('The books');
  const sums = new Map<string, bigint>();
  for await (const row of stage.client.transactions.list()) {
    sums.set(row.currency, (sums.get(row.currency) ?? 0n) + hundredths(row.amount));
    say(describe(row));
  }
  const { balances } = await stage.client.balance.retrieve();
  const agree = balances.every(({ currency, balance }) => sums.get(currency) === hundredths(balance));
  check('the transactions of every currency add up to its balance', agree);
}

function describe({ type, status, amount, currency, reference }: Transaction): string {
  return `${type.padEnd(8)} ${status.padEnd(10)} ${amount.toFixed(2).padStart(10)} ${currency}  ${reference ?? ''}`.trimEnd();
}

/** Counts the hundredths of an amount, exactly. */
function hundredths(amount: number): bigint {
  return BigInt(amount.toFixed(2).replace('.', ''));
}
