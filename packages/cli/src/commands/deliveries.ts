import type { Delivery } from '@service/mock';
import { type Command, Option } from 'commander';
import { modes } from '../config.ts';
import { parseId } from '../parse.ts';
import { type DeliveryFilter, fetchDeliveries, redeliver } from '../sandbox/deliveries.ts';
import { type CreateAction, exitCodes, type Handler } from '../session.ts';

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

const listDeliveries: Handler<readonly [], DeliveryFilter> = async (session, { options }) => {
  const deliveries = await fetchDeliveries(session, options);
  for (const delivery of deliveries) await session.output.result(delivery, toDeliveryLines(delivery));
  if (deliveries.length === 0) session.output.note('No deliveries match.');
  return exitCodes.ok;
};

const resend: Handler<readonly [string], object> = async (session, { args }) => {
  const delivery = await redeliver(session, args[0]);
  const attempts = delivery.attempts.slice(-1);
  await session.output.result(delivery, toDeliveryLines({ ...delivery, attempts }));
  return attempts[0]?.result.outcome === 'acknowledged' ? exitCodes.ok : exitCodes.refused;
};

type Attempt = Delivery['attempts'][number];

/** Formats a delivery: its state, then a line per attempt, then the time of the next attempt. */
function toDeliveryLines({ attempts, next_at, fault, ...delivery }: Delivery): string[] {
  const { id, event, state, payment_id } = delivery;
  const facts = [id, event, state, payment_id];
  if (fault !== null) facts.push(`fault: ${fault}`);
  const next = next_at === null ? [] : [`  ${toTime(next_at)}  due`];
  return [facts.join('  '), ...attempts.map((attempt) => `  ${toAttemptLine(attempt)}`), ...next];
}

function toAttemptLine({ at, url, result }: Attempt): string {
  const outcome =
    result.outcome === 'failed' ? `failed, ${result.reason}` : `${result.outcome}, HTTP ${result.httpStatus}`;
  return `${toTime(at)}  ${outcome}  ${url}`;
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
