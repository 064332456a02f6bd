// The step that creates payments and follows them, with the balance and the list, to their ends.
import { listWallets, readPage } from './call.ts';
import type { Step } from './question.ts';
import { noDecimals, pay, quote, readWallet, type Run } from './run.ts';

/** Whether a payment ends with a status. */
export const isEnded = (status: string | undefined): boolean => status === 'completed' || status === 'failed';

/**
 * The time for which a new payment is read before the next one is created, and the one after the last change, also of payments
 * that can come back, in milliseconds.
 */
const [FIRST_READS, SETTLING, RETURNING] = [1_500, 2_700, 6_000];
/** The time between two creates, and the one for which payments are read that stay as they are, in milliseconds. */
const [SPACING, PATIENCE] = [130, 20_000];
/** The time at which the payments end in any case, in seconds of the run. */
const LAST_SECOND = 42;

const createPurpose = (word: string): string => `${word} ${crypto.randomUUID().slice(0, 8)}`;

/** The time between two rounds of reads: a service with a rate limit has other questions to answer too. */
const paceOf = ({ seen }: Run, usual: number): number => (seen().limited.length > 0 ? 1_000 : usual);

/** Reads payments, the balance and the rows once. */
async function readAll({ send }: Run, ids: readonly string[], hasList = true): Promise<void> {
  for (const id of ids) await send(`/payments/${id}`, { label: 'payments' });
  await send('/balance');
  if (hasList) await send('/transactions?per_page=100');
}

/** Creates a payment after a quote for its amount, which shows its fee. */
async function create(
  run: Run,
  { to_currency = run.plan.to, ...changes }: { readonly amount: number; readonly to_currency?: string },
): Promise<void> {
  await quote(run, { amount: changes.amount, to_currency }, { label: 'quotes' });
  await pay(run, { ...changes, to_currency });
}

export const followPayments: Step = {
  subject: 'payments until they complete or fail',
  needs: 'payments',
  send: async (run) => {
    const { plan } = run;
    const unit = noDecimals.includes(plan.from) ? 1 : 0.01;
    // The sums of several amounts differ too.
    const amountOf = (index: number): number => Number((Number(plan.amount) + 2 ** index * unit).toFixed(2));
    await readAll(run, []);
    await create(run, { amount: amountOf(0) });
    const [first] = run.seen().payments;
    if (first === undefined) return;
    await readUntilShown(run, first.id);
    const balance = (await readWallet(run)) ?? 0n;
    const large = Math.min(12_000, Math.floor(Number(balance / 1_000_000n) / 8));
    const [failing, ...accounts] = plan.failing;
    const held = listWallets(run.seen().balances[0]);
    const to_currency = held.find((code) => ![plan.from, plan.to].includes(code)) ?? plan.to;
    const others = [
      {
        amount: amountOf(1),
        beneficiary_name: 'Probe with all fields',
        beneficiary_bank: 'Probe Bank',
        beneficiary_account: 'PROBE-ACCOUNT-1',
        beneficiary_country: 'DE',
        purpose: createPurpose('Probe'),
      },
      { amount: amountOf(2), beneficiary_account: failing, purpose: createPurpose('Failing') },
      { amount: Math.max(amountOf(3), Math.floor(large / 2)), beneficiary_account: failing, to_currency },
      ...accounts.flatMap((beneficiary_account, index) => [
        { amount: amountOf(7 + 2 * index), beneficiary_account },
        { amount: Math.floor(large / 8) + amountOf(8 + 2 * index), beneficiary_account, to_currency },
      ]),
      { amount: amountOf(4) },
      { amount: large > amountOf(6) ? large : amountOf(6), purpose: createPurpose('Large') },
    ];
    for (const changes of others) {
      await create(run, changes);
      const [last] = run.seen().payments.slice(-1);
      await readAll(run, last ? [last.id] : []);
      // Their changes then come at different times.
      await run.sleep(SPACING);
    }
    await readUntilEnded(run);
  },
};

/** Reads a new payment until its read, the balance and the list show it, or for a limited time. */
async function readUntilShown(run: Run, id: string): Promise<void> {
  const start = run.now();
  const write = (): string => JSON.stringify(run.seen().balances.at(-1)?.response.data);
  const before = write();
  for (;;) {
    await readAll(run, [id]);
    const { payments, lists } = run.seen();
    const isRead = payments.some(({ changes }) => changes.length > 0);
    const isShown = isRead && write() !== before && lists.at(-1)?.response.text.includes(id) === true;
    if (isShown || run.now() - start > FIRST_READS) return;
    await run.sleep(paceOf(run, 80 + (run.now() - start) / 4));
  }
}

/** Reads payments until all have ended and the balance and the list show their last changes. */
async function readUntilEnded(run: Run): Promise<void> {
  const { now, sleep, seen } = run;
  const start = now();
  let [changedAt, last, round] = [start, '', 0];
  while (now() < run.after(LAST_SECOND)) {
    const { payments } = seen();
    const open = payments.filter(({ changes }) => !isEnded(changes.at(-1)?.status));
    // A payment can come back after its completion.
    const returning = payments.filter(
      ({ account, changes }) =>
        changes.at(-1)?.status === 'completed' && run.plan.failing.includes(account ?? ''),
    );
    const ids = [...open, ...returning].map(({ id }) => id);
    await readAll(run, ids, round % 2 === 0);
    round += 1;
    const { balances, lists } = seen();
    const shown = JSON.stringify([
      balances.at(-1)?.response.data,
      lists.slice(-1).map((call) => readPage(call)?.rows),
      open.length,
    ]);
    if (shown !== last) [changedAt, last] = [now(), shown];
    if (open.length === 0 && now() - changedAt > (returning.length > 0 ? RETURNING : SETTLING)) return;
    // Payments that stay as they are.
    if (now() - start > PATIENCE && now() - changedAt > PATIENCE / 2) return;
    await sleep(paceOf(run, Math.min(400, 100 + (now() - start) / 15)));
  }
}
