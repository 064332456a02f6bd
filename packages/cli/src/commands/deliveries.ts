import { isRecord, toRecord } from '@service/internal';
import type { Delivery } from '@service/mock';
import { argument, choice, defineCommand, flag, value } from '../command.ts';
import { modes } from '../config.ts';
import { parseId } from '../parse.ts';
import { createAccountLookup, createUnreadableError, openControl } from '../sandbox/control.ts';
import { type DefineCommand, exitCodes } from '../session.ts';
import { formatRelative, toFactLines } from '../table.ts';
import { type Line, type Terminal, toStatus } from '../terminal.ts';

/** Defines `webhooks deliveries`, which calls the control API of a mock. */
export const webhooksDeliveriesCommand: DefineCommand = defineCommand({
  input: {
    payment: value('<id>', 'only the deliveries of this payment'),
    failed: flag('only deliveries with attempts, none of them acknowledged'),
    mode: choice('<mode>', 'mode of the deliveries (default: the mode of the API key)', modes),
    account: value('<id>', 'id of the account (default: the account of the API key)', parseId),
  },
  help: 'Example:\n  $ service-cli webhooks deliveries --failed --json | jq -r .id',
  async run(session, { payment, failed, mode, account }) {
    const { output } = session;
    const findAccount = await createAccountLookup(session, { account });
    const control = await openControl(session);
    const selected = { ...(await findAccount(control)), ...(mode !== undefined && { mode }) };
    const { deliveries } = toRecord(await control.call('listDeliveries', selected));
    if (!Array.isArray(deliveries) || !deliveries.every(isDelivery))
      throw createUnreadableError('listDeliveries');
    const shown = deliveries.filter(
      ({ payment_id, state, attempts }) =>
        (payment === undefined || payment_id === payment) &&
        (failed !== true || (state !== 'acknowledged' && attempts.length > 0)),
    );
    for (const delivery of shown) await output.result(delivery, toDeliveryLines(delivery, output.terminal));
    if (shown.length === 0) output.note('No deliveries match.');
    return exitCodes.ok;
  },
});

/** Defines `webhooks resend`, which calls the control API of a mock. */
export const webhooksResendCommand: DefineCommand = defineCommand({
  input: { id: argument('id of the delivery, such as dlv_test_…', parseId) },
  help: 'Example:\n  $ service-cli webhooks resend dlv_test_…',
  async run(session, { id }) {
    const control = await openControl(session);
    const delivery = await control.call('redeliver', { delivery: id });
    if (!isDelivery(delivery)) throw createUnreadableError('redeliver');
    const attempts = delivery.attempts.slice(-1);
    const lines = toDeliveryLines({ ...delivery, attempts }, session.output.terminal);
    await session.output.result(delivery, lines);
    return attempts[0]?.result.outcome === 'acknowledged' ? exitCodes.ok : exitCodes.refused;
  },
});

/** Whether a value has the fields of a delivery that are printed. */
function isDelivery(candidate: unknown): candidate is Delivery {
  const { attempts, next_at } = toRecord(candidate);
  const isAttempt = (one: unknown): boolean => isRecord(one) && isRecord(one.result) && isTime(one.at);
  return Array.isArray(attempts) && attempts.every(isAttempt) && (next_at === null || isTime(next_at));
}

function isTime(candidate: unknown): boolean {
  return typeof candidate === 'number' && !Number.isNaN(new Date(candidate).getTime());
}

/** Formats a delivery: its state, then a line per attempt, then the time of the next attempt. */
function toDeliveryLines(delivery: Delivery, terminal: Terminal): Line[] {
  const { id, event, state, payment_id, attempts, next_at, fault } = delivery;
  const facts = [id, event, toStatus(state, terminal), payment_id];
  if (fault !== null) facts.push(`fault: ${fault}`);
  return [
    ...toFactLines(facts, terminal),
    ...attempts.flatMap(({ at, url, result }) => {
      const { outcome } = result;
      const text =
        result.outcome === 'failed'
          ? `failed, ${result.detail ?? result.reason}`
          : `${outcome}, HTTP ${result.httpStatus}`;
      return toFactLines([`  ${toTime(at, terminal)}`, toStatus(outcome, terminal, text), url], terminal, 4);
    }),
    ...(next_at === null ? [] : [`  ${toTime(next_at, terminal)}  due`]),
  ];
}

/** Formats a time, on a terminal also relative to now. */
function toTime(at: number, { isTTY, now }: Terminal): string {
  const time = new Date(at).toISOString();
  return isTTY ? `${time} (${formatRelative(at, now())})` : time;
}
