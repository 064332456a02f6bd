import { userInfo } from 'node:os';
import { parseRecord } from '@service/internal';
import type { PaymentInput } from '@service/sdk';
import type { Intent } from '@service/sdk/intents';
import { UsageError } from '../errors.ts';
import { type ExitCode, exitCodes, type Session } from '../session.ts';
import { formatMoney } from '../table.ts';
import type { FileOptions, Resolution } from './options.ts';
import { finish } from './pay-file.ts';
import { confirm } from './question.ts';
import { printReport } from './report.ts';
import { applyIntent, createRunPayment, type RunPayment } from './run-payment.ts';
import { connect } from './settings.ts';
import { findStore, listIntents, type OpenedStore } from './store.ts';

/** Prints the recorded payments of a run. Sends nothing, and needs no API key. */
export async function showRecorded(session: Session, options: FileOptions): Promise<ExitCode> {
  const { store, close } = await openExisting(session, options);
  try {
    const payments: RunPayment[] = [];
    for await (const intent of listIntents(store)) payments.push(toRunPayment(intent));
    return await finish(session, { payments, options, wait: false });
  } finally {
    await close();
  }
}

/** Records the decision of a person about a payment. */
export async function resolveRecorded(session: Session, options: FileOptions): Promise<ExitCode> {
  const { reference, paymentId } = options.resolve as Resolution;
  const { because, by = readUserName(), yes } = options;
  if (because === undefined) throw new UsageError('--resolve needs --because, the reason of the decision.');
  const { connectPayer } = await connect(session, options);
  const { store, close } = await openExisting(session, options);
  try {
    const payer = connectPayer(store);
    const found = await store.read(reference);
    if (found === undefined)
      throw new UsageError(`The store has no payment ${reference}. Nothing was changed.`);
    const { version } = found;
    await confirm(session, { question: toQuestion(toRunPayment(found), paymentId), yes });
    const decision =
      paymentId === undefined
        ? { version, by, because, neverMade: true as const }
        : { version, by, because, paymentId };
    const resolved = await payer.resolve(reference, decision);
    await printReport([toRunPayment(resolved)], session.output);
    return exitCodes.ok;
  } finally {
    await close();
  }
}

async function openExisting(session: Session, options: FileOptions): Promise<OpenedStore> {
  const place = await findStore(session, options);
  if (place.exists) return place.open();
  throw new UsageError(`There is no store ${place.name}: no payment was recorded.`);
}

function toRunPayment(intent: Intent): RunPayment {
  const { reference, digest, body } = intent;
  const fields = (body === undefined ? undefined : parseRecord(body)) as Partial<PaymentInput> | undefined;
  const payment = createRunPayment({ line: undefined, reference, digest, body: fields ?? {} });
  applyIntent(payment, intent);
  return payment;
}

function toQuestion(payment: RunPayment, paymentId: string | undefined): string {
  const { reference, state, amount, from_currency, sentAt } = payment;
  const money =
    amount === undefined || from_currency === undefined ? '' : ` of ${formatMoney(amount, from_currency)}`;
  const sent = sentAt === undefined ? 'not sent' : `first sent at ${sentAt}`;
  const decision =
    paymentId === undefined
      ? 'that it was never made, and is never sent again'
      : `that its payment is ${paymentId}`;
  return `${reference}${money} is ${state}, ${sent}. Record ${decision}?`;
}

function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UsageError('--resolve needs --by, because the user of this machine has no name.');
  }
}
