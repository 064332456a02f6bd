import type { Delivery } from '@service/mock';
import { argument, choice, defineCommand, flag, value } from '../command.ts';
import { modes } from '../config.ts';
import { parseId } from '../parse.ts';
import { createAccountLookup, createUnreadableError, openControl, readList } from '../sandbox/control.ts';
import { type DefineCommand, exitCodes } from '../session.ts';
import { formatRelative, type Line, type Terminal, toFactLines, toStatus } from '../terminal.ts';

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
    const deliveries = await readList(control, 'listDeliveries', 'deliveries', selected);
    const shown = (deliveries as object[] as Delivery[]).filter(
      ({ payment_id, state, attempts }) =>
        (payment === undefined || payment_id === payment) &&
        (failed !== true || (state !== 'acknowledged' && attempts.length > 0)),
    );
    for (const delivery of shown) await output.result(delivery, toDeliveryLines(delivery, output.terminal));
    if (shown.length === 0) output.note('No deliveries match.');
  },
});

/** Defines `webhooks resend`, which calls the control API of a mock. */
export const webhooksResendCommand: DefineCommand = defineCommand({
  input: { id: argument('id of the delivery, such as dlv_test_…', parseId) },
  help: 'Example:\n  $ service-cli webhooks resend dlv_test_…',
  async run(session, { id }) {
    const control = await openControl(session);
    const delivery = (await control.call('redeliver', { delivery: id })) as Delivery;
    await session.output.result(delivery, toDeliveryLines(delivery, session.output.terminal, 1));
    return delivery.attempts.at(-1)?.result.outcome === 'acknowledged' ? exitCodes.ok : exitCodes.refused;
  },
});

/**
 * Formats a delivery: its state, then a line for each of its last attempts, then the time of the next attempt.
 *
 * @throws {ControlError} when a field is missing or malformed.
 */
function toDeliveryLines(delivery: Delivery, terminal: Terminal, last = Infinity): Line[] {
  const { id, event, state, payment_id, attempts, next_at, fault } = delivery;
  try {
    const facts = [id, event, toStatus(state, terminal), payment_id];
    if (fault !== null) facts.push(`fault: ${fault}`);
    const attemptLines = attempts.slice(-last).flatMap(({ at, url, result }) => {
      const { outcome } = result;
      const text =
        result.outcome === 'failed'
          ? `failed, ${result.detail ?? result.reason}`
          : `${outcome}, HTTP ${result.httpStatus}`;
      return toFactLines([`  ${toTime(at, terminal)}`, toStatus(outcome, terminal, text), url], terminal, 4);
    });
    const due = next_at === null ? [] : [`  ${toTime(next_at, terminal)}  due`];
    return [...toFactLines(facts, terminal), ...attemptLines, ...due];
  } catch {
    throw createUnreadableError('listDeliveries');
  }
}

/** Formats a time, on a terminal also relative to now. */
function toTime(at: number, { isTTY, now }: Terminal): string {
  const time = new Date(at).toISOString();
  return isTTY ? `${time} (${formatRelative(at, now())})` : time;
}
