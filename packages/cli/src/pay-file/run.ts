import { ServiceError } from '@service/sdk';
import type { IntentStore, IntentUpdate, Payer } from '@service/sdk/payer';
import type { Progress } from '../output.ts';
import type { Session } from '../session.ts';
import type { PaymentFile } from './check-file.ts';
import { addAmounts, formatTotals } from './funds.ts';
import { applyIntent, countStates, isFinal, type RunPayment, runStates } from './run-payment.ts';
import { listIntents } from './store.ts';
import { formatCount } from '../terminal.ts';

/** The parts of a run. */
export interface RunContext {
  readonly session: Session;
  readonly payer: Payer;
  readonly store: IntentStore;
  readonly file: PaymentFile;
  /** The assumed difference between clocks, in milliseconds. */
  readonly clockSkew: number;
}

/** The number of intents that are recorded at the same time: a store syncs them together. */
const GROUP = 64;

/**
 * Records an intent for each new payment, until the run is interrupted.
 *
 * @throws {ConfigurationError} when the store fails. Nothing was sent.
 */
export async function planPayments({ session, payer, file }: RunContext): Promise<void> {
  const { signal, output } = session;
  const planned = [...file.payments.values()].filter(({ state }) => state === 'new');
  let done = 0;
  const plan = async (): Promise<void> => {
    for (let start = 0; start < planned.length && !signal.aborted; start += GROUP) {
      const group = planned.slice(start, start + GROUP).map(async (payment) => {
        applyIntent(payment, await payer.plan(payment.reference, payment.body));
        done += 1;
      });
      await Promise.all(group);
    }
  };
  await output.wait(() => ({ text: 'Recording payments', done, total: planned.length }), plan);
}

/**
 * Sends the recorded payments, and resolves those with an unknown outcome. Waits for the leases of earlier runs and other
 * workers. Ends when no further payment gets its result, or when the run is interrupted.
 *
 * @throws {ServiceError} when the service rejects the API key, or the store fails.
 */
export async function sendPayments(context: RunContext): Promise<void> {
  const { session, file } = context;
  const { signal, output } = session;
  const progress = createProgress(file.payments);
  const countFinal = (): number => [...file.payments.values()].filter(isFinal).length;
  const onAbort = (): void =>
    output.note('Stopping after the requests that are running. Press Ctrl+C again to end at once.');
  signal.addEventListener('abort', onAbort);
  try {
    for (let before = countFinal(); !signal.aborted;) {
      await output.wait(progress, async () => {
        for await (const update of context.payer.run({ signal })) {
          const payment = file.payments.get(update.reference);
          if (payment !== undefined) applyUpdate(payment, update);
        }
      });
      if (signal.aborted) return;
      const leaseEnd = await readStates(context);
      const done = countFinal();
      if (leaseEnd !== undefined) await waitForLease(context, leaseEnd);
      else if (done === before || done === file.payments.size) return;
      before = done;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    await readStates(context).catch(() => {});
  }
}

function applyUpdate(payment: RunPayment, update: IntentUpdate): void {
  const { intent, state, payment: created, error } = update;
  payment.reason = error === undefined ? undefined : toReason(error);
  applyIntent(payment, intent);
  // After a failure of the store, the intent is older than the result.
  payment.isUnrecorded = state !== intent.state;
  payment.state = state;
  payment.paymentId = created?.id ?? payment.paymentId;
  payment.status = created?.status ?? payment.status;
}

/** Returns the name of an error and of the fields that the service rejected, without values. */
function toReason(error: unknown): string {
  if (!(error instanceof ServiceError)) return 'Error';
  const fields = (error.fields ?? []).map(({ field }) => field).filter((field) => field !== '');
  return fields.length === 0 ? error.name : `${error.name}: ${fields.join(', ')}`;
}

/** Reads the states of all payments. Returns the first end of a lease, or undefined if no payment is being sent. */
async function readStates({ store, file }: RunContext): Promise<number | undefined> {
  let first: number | undefined;
  for await (const intent of listIntents(store)) {
    const payment = file.payments.get(intent.reference);
    if (payment === undefined || payment.isUnrecorded) continue;
    applyIntent(payment, intent);
    const { leaseEnd } = payment;
    if (leaseEnd !== undefined) first = Math.min(leaseEnd, first ?? leaseEnd);
  }
  return first;
}

/** The time between two reads of the store during a wait, in milliseconds: another worker can be faster than its lease. */
const READ_INTERVAL = 2_000;
/** The minimum wait, in milliseconds: the clock of a store can be behind. */
const MIN_WAIT = 250;

/** Waits until no worker is sending a payment, or the first lease has ended. */
async function waitForLease(context: RunContext, leaseEnd: number): Promise<void> {
  const { session, file, clockSkew } = context;
  const { clock, signal, output } = session;
  const end = Math.max(leaseEnd + clockSkew, clock.now() + MIN_WAIT);
  const { sending } = countStates(file.payments.values());
  const subject = `${formatCount(sending, 'payment')} of an earlier run or another worker`;
  output.note(`Waiting for ${subject} (at most ${Math.ceil((end - clock.now()) / 1_000)} s).`);
  const wait = async (): Promise<void> => {
    for (let left = end - clock.now(); left > 0; left = end - clock.now()) {
      await clock.sleep(Math.min(left, READ_INTERVAL), signal);
      if (signal.aborted) return;
      // A store that fails for a moment does not end the wait. The next run of the payer waits for it.
      const first = await readStates(context).catch(() => leaseEnd);
      if (first === undefined) return;
    }
  };
  await output.wait(() => ({ text: 'Waiting' }), wait);
}

/** Creates the progress of a run: counts per state, the time left, and the totals if there is room. */
function createProgress(payments: ReadonlyMap<string, RunPayment>): () => Progress {
  const all = [...payments.values()];
  const open = all.filter((payment) => !isFinal(payment));
  const total = formatTotals(addAmounts(all));
  return () => {
    const counts = countStates(all);
    const shown = runStates.filter(
      (state) => counts[state] > 0 && state !== 'planned' && state !== 'sending',
    );
    const text = shown.map((state) => `${counts[state]} ${state}`).join(', ') || 'Paying';
    const paid = formatTotals(addAmounts(all.filter(({ state }) => state === 'created'))) || '0.00';
    const done = open.filter((payment) => isFinal(payment) || payment.state === 'unknown').length;
    return { text, details: [`${paid} of ${total}`], done, total: open.length };
  };
}
