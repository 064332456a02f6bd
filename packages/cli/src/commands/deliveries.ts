import { isRecord, toRecord } from '@service/internal';
import type { Delivery } from '@service/mock';
import { type Command, Option } from 'commander';
import { modes } from '../config.ts';
import { parseId } from '../parse.ts';
import { createAccountLookup } from '../sandbox/account-lookup.ts';
import { createUnreadableError, openControl } from '../sandbox/control.ts';
import { type CreateAction, exitCodes, type Handler, type Session } from '../session.ts';
import { formatRelative, toFactLines } from '../table.ts';
import { type Line, type Terminal, toStatus } from '../terminal.ts';

/** Defines `webhooks deliveries`, which calls the control API of a mock. */
export function defineDeliveries(command: Command, act: CreateAction): void {
  command
    .option('--payment <id>', 'only the deliveries of this payment')
    .option('--failed', 'only deliveries with attempts, none of them acknowledged')
    .addOption(
      new Option('--mode <mode>', 'mode of the deliveries (default: the mode of the API key)').choices(modes),
    )
    .option('--account <id>', 'id of the account (default: the account of the API key)', parseId)
    .addHelpText('after', '\nExample:\n  $ service-cli webhooks deliveries --failed --json | jq -r .id')
    .action(act(listDeliveries));
}

/** Defines `webhooks resend`, which calls the control API of a mock. */
export function defineResend(command: Command, act: CreateAction): void {
  command
    .argument('<id>', 'id of the delivery, such as dlv_test_…', parseId)
    .addHelpText('after', '\nExample:\n  $ service-cli webhooks resend dlv_test_…')
    .action(act(resend));
}

/** The options that select deliveries. */
interface DeliveryFilter {
  readonly payment?: string;
  /** Only deliveries with attempts, none of them acknowledged. */
  readonly failed?: true;
  readonly mode?: string;
  readonly account?: string;
}

const listDeliveries: Handler<readonly [], DeliveryFilter> = async (session, { options }) => {
  const deliveries = await fetchDeliveries(session, options);
  for (const delivery of deliveries)
    await session.output.result(delivery, toDeliveryLines(delivery, session.output.terminal));
  if (deliveries.length === 0) session.output.note('No deliveries match.');
  return exitCodes.ok;
};

const resend: Handler<readonly [string], object> = async (session, { args }) => {
  const control = await openControl(session);
  const delivery = await control.call('redeliver', { delivery: args[0] });
  if (!isDelivery(delivery)) throw createUnreadableError('redeliver');
  const attempts = delivery.attempts.slice(-1);
  await session.output.result(delivery, toDeliveryLines({ ...delivery, attempts }, session.output.terminal));
  return attempts[0]?.result.outcome === 'acknowledged' ? exitCodes.ok : exitCodes.refused;
};

/**
 * Fetches the deliveries of an account and mode, by default those of the API key.
 *
 * @throws {UsageError} when the account cannot be determined.
 * @throws {ControlError} when the control API rejects the request or does not respond.
 */
async function fetchDeliveries(session: Session, filter: DeliveryFilter): Promise<Delivery[]> {
  const { payment, failed, mode } = filter;
  const findSelected = await createAccountLookup(session, filter);
  const control = await openControl(session);
  const account = { ...(await findSelected(control)), ...(mode !== undefined && { mode }) };
  const { deliveries } = toRecord(await control.call('listDeliveries', account));
  if (!Array.isArray(deliveries) || !deliveries.every(isDelivery))
    throw createUnreadableError('listDeliveries');
  return deliveries.filter(
    (delivery) =>
      (payment === undefined || delivery.payment_id === payment) && (failed !== true || hasFailed(delivery)),
  );
}

/** Whether a value has the fields of a delivery that are printed. */
function isDelivery(value: unknown): value is Delivery {
  const { attempts, next_at } = toRecord(value);
  const isAttempt = (one: unknown): boolean => isRecord(one) && isRecord(one.result) && isTime(one.at);
  return Array.isArray(attempts) && attempts.every(isAttempt) && (next_at === null || isTime(next_at));
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
}

function hasFailed({ state, attempts }: Delivery): boolean {
  return state !== 'acknowledged' && attempts.length > 0;
}

type Attempt = Delivery['attempts'][number];

/** Formats a delivery: its state, then a line per attempt, then the time of the next attempt. */
function toDeliveryLines({ attempts, next_at, fault, ...delivery }: Delivery, terminal: Terminal): Line[] {
  const { id, event, state, payment_id } = delivery;
  const facts = [id, event, toStatus(state, terminal), payment_id];
  if (fault !== null) facts.push(`fault: ${fault}`);
  const next = next_at === null ? [] : [`  ${toTime(next_at, terminal)}  due`];
  return [
    ...toFactLines(facts, terminal),
    ...attempts.flatMap((attempt) => toAttemptLines(attempt, terminal)),
    ...next,
  ];
}

function toAttemptLines({ at, url, result }: Attempt, terminal: Terminal): Line[] {
  const { outcome } = result;
  const text =
    result.outcome === 'failed'
      ? `failed, ${result.detail ?? result.reason}`
      : `${outcome}, HTTP ${result.httpStatus}`;
  return toFactLines([`  ${toTime(at, terminal)}`, toStatus(outcome, terminal, text), url], terminal, 4);
}

/** Formats a time, on a terminal also relative to now. */
function toTime(at: number, { isTTY, now }: Terminal): string {
  const time = new Date(at).toISOString();
  return isTTY ? `${time} (${formatRelative(at, now())})` : time;
}
