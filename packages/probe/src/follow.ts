// The step that creates payments and follows them, with the balance and the list, to their ends.
import { readPage } from './call.ts';
import type { Step } from './question.ts';
import { idOf, noDecimals, pay, quote, readWallet, type Run } from './run.ts';

/** Whether a payment ends with a status, unless it is returned later. */
export const isEnded = (status: string | undefined): boolean => status === 'completed' || status === 'failed';

/** The time after its completion within which a payment is returned, if it is, in milliseconds. */
export const RETURN_WAIT = 10_000;
/** The time for which a new payment is read before the next one is created, and the one after the last change, in milliseconds. */
const [FIRST_READS, SETTLING] = [1_500, 1_200];
/** The longest wait for the payments before, and the time between two creates, in milliseconds. */
const [LONGEST_SETTLING, SPACING] = [6_000, 130];
/** The time at which the payments end in any case, in seconds of the run. */
const LAST_SECOND = 42;

/** Returns an amount of a payment by its number in the run: the sums of several ones differ too. */
export function distinctAmount({ plan }: Run, index: number): number {
  const unit = noDecimals.includes(plan.from) ? 1 : 0.01;
  return Number((Number(plan.amount) + 2 ** index * unit).toFixed(2));
}

const createPurpose = (word: string): string => `${word} ${crypto.randomUUID().slice(0, 8)}`;

/** Reads payments, the balance and the rows once. */
async function readAll({ send }: Run, ids: readonly string[], hasList = true): Promise<void> {
  for (const id of ids) await send(`/payments/${id}`, { label: 'payments' });
  await send('/balance');
  if (hasList) await send('/transactions?per_page=100');
}

/** Creates a payment after a quote for its amount, which shows its fee. */
async function create(
  run: Run,
  changes: { readonly amount: number; readonly [field: string]: unknown },
): Promise<string | undefined> {
  await quote(run, { amount: changes.amount }, { label: 'quotes' });
  return idOf(await pay(run, changes));
}

export const followPayments: Step = {
  subject: 'payments until they complete or fail',
  needs: 'payments',
  send: async (run) => {
    const { plan, after } = run;
    const amountOf = (index: number): number => distinctAmount(run, index);
    // Other payments would change the balance meanwhile.
    await settle(run, run.now() + LONGEST_SETTLING);
    await readAll(run, []);
    const all = {
      beneficiary_name: `${plan.name} with all fields`,
      beneficiary_bank: 'Probe Bank',
      beneficiary_account: 'PROBE-ACCOUNT-1',
      beneficiary_country: 'DE',
      purpose: createPurpose('Probe'),
    };
    const ids: string[] = [];
    for (const changes of [{ amount: amountOf(0) }, { amount: amountOf(1), ...all }]) {
      const id = await create(run, changes);
      if (id === undefined) return;
      ids.push(id);
      await readUntilShown(run, ids, id);
    }
    const balance = (await readWallet(run)) ?? 0n;
    const large = Math.min(4_000, Math.floor(Number(balance / 1_000_000n) / 8));
    const others: { readonly amount: number; readonly [field: string]: unknown }[] = [
      { amount: amountOf(2), beneficiary_account: plan.failing, purpose: createPurpose('Failing') },
      { amount: amountOf(4), beneficiary_account: plan.returning, purpose: createPurpose('Returning') },
      { amount: amountOf(3), beneficiary_account: plan.failing },
      { amount: amountOf(5), beneficiary_account: plan.returning },
      ...(large > amountOf(6) ? [{ amount: large, purpose: createPurpose('Large') }] : []),
    ];
    for (const changes of others) {
      // The event of a failure can need another acknowledgement than that of a success.
      const answer = changes.amount === amountOf(3) ? 204 : 200;
      run.recorder?.respondToNew(answer);
      const id = await create(run, changes);
      run.recorder?.respondToNew(200);
      if (id !== undefined) run.recorder?.respondTo(id, answer);
      if (id !== undefined) ids.push(id);
      await readAll(run, ids);
      // Their changes then come at different times.
      await run.sleep(SPACING);
    }
    await readUntilEnded(run, ids, after(LAST_SECOND));
  },
};

/** Reads the open payments until they end. */
async function settle(run: Run, end: number): Promise<void> {
  while (run.now() < end) {
    const open = run
      .seen()
      .payments.filter(({ changes, reads }) => !isEnded(changes.at(-1)?.status) && reads.length < 200);
    if (open.length === 0) return;
    for (const { id } of open.slice(-6)) await run.send(`/payments/${id}`, { label: 'payments' });
    await run.send('/balance');
    await run.sleep(250);
  }
}

/** Reads a new payment until its read, the balance and the list show it, or for a limited time. */
async function readUntilShown(run: Run, ids: readonly string[], id: string): Promise<void> {
  const start = run.now();
  const write = (): string => JSON.stringify(run.seen().balances.at(-1)?.response.data);
  const before = write();
  for (;;) {
    await readAll(run, ids.toReversed());
    const { calls, lists } = run.seen();
    const isRead = calls.some(({ path, response }) => path === `/payments/${id}` && response.accepted);
    const isShown = isRead && write() !== before && lists.at(-1)?.response.text.includes(id) === true;
    if (isShown || run.now() - start > FIRST_READS) return;
    await run.sleep(20);
  }
}

/** Reads payments until all have ended and the balance and the list show their last changes. */
async function readUntilEnded(run: Run, ids: readonly string[], end: number): Promise<void> {
  const { plan, now, sleep, seen, report } = run;
  const start = now();
  let [changedAt, last, round] = [start, '', 0];
  report('payments, until they complete or fail');
  while (now() < end) {
    const open = seen()
      .payments.filter(({ id }) => ids.includes(id))
      .filter((payment) => {
        const change = payment.changes.at(-1);
        if (payment.account === plan.returning && change?.status === 'completed')
          return now() - change.to < RETURN_WAIT;
        return !isEnded(change?.status);
      });
    await readAll(
      run,
      open.map(({ id }) => id),
      round % 2 === 0,
    );
    round += 1;
    const { balances, lists } = seen();
    const shown = JSON.stringify([
      balances.at(-1)?.response.data,
      lists.slice(-1).map((call) => readPage(call)?.rows),
      open.length,
    ]);
    if (shown !== last) [changedAt, last] = [now(), shown];
    const lag = Math.max(SETTLING, longestLag(run) + SETTLING);
    if (open.length === 0 && now() - changedAt > lag) return;
    // Payments that stay as they are.
    if (now() - start > plan.timeout && now() - changedAt > plan.timeout / 2) return;
    await sleep(Math.min(400, 60 + (now() - start) / 60));
  }
}

/** Returns the longest time after which a read showed a new payment, in milliseconds. */
function longestLag(run: Run): number {
  const { payments, lists } = run.seen();
  return Math.max(
    0,
    ...payments.slice(0, 12).map(({ id, create: { end }, changes }) => {
      const listed = lists.find((call) => call.start >= end && call.response.text.includes(id))?.end ?? end;
      return Math.max(listed, changes[0]?.to ?? end) - end;
    }),
  );
}
