import { type Command, Option } from 'commander';
import { modes } from '../config.ts';
import { toDeliveryLines } from '../delivery-lines.ts';
import { exitCodes } from '../exit-code.ts';
import { parseId } from '../parse.ts';
import type { DeliveryFilter } from '../sandbox/deliveries.ts';
import type { CreateAction, Handler } from '../session.ts';

/** Adds `webhooks deliveries` and `webhooks resend`, which call the control API of a mock. */
export function addDeliveries(webhooks: Command, act: CreateAction): void {
  webhooks
    .command('deliveries')
    .description(
      'List the deliveries of a mock with every attempt, oldest first; with --json one document per line.',
    )
    .option('--payment <id>', 'only the deliveries of this payment')
    .option('--failed', 'only deliveries with attempts, none of them acknowledged')
    .addOption(
      new Option('--mode <mode>', 'mode of the deliveries (default: the mode of the API key)').choices(modes),
    )
    .option('--account <id>', 'id of the account (default: the account of the API key)', parseId)
    .addHelpText('after', '\nExample:\n  $ service-cli webhooks deliveries --failed --json | jq -r .id')
    .action(act(listDeliveries));
  webhooks
    .command('resend')
    .description('Send a delivery of a mock again immediately. Exits 1 if it is not acknowledged.')
    .argument('<id>', 'id of the delivery, such as dlv_test_…', parseId)
    .addHelpText('after', '\nExample:\n  $ service-cli webhooks resend dlv_test_…')
    .action(act(resend));
}

const listDeliveries: Handler<readonly [], DeliveryFilter> = async (session, { options }) => {
  const { fetchDeliveries } = await import('../sandbox/deliveries.ts');
  const deliveries = await fetchDeliveries(session, options);
  for (const delivery of deliveries) await session.output.result(delivery, toDeliveryLines(delivery));
  if (deliveries.length === 0) session.output.note('No deliveries match.');
  return exitCodes.ok;
};

const resend: Handler<readonly [string], object> = async (session, { args }) => {
  const { redeliver } = await import('../sandbox/deliveries.ts');
  const delivery = await redeliver(session, args[0]);
  const attempts = delivery.attempts.slice(-1);
  await session.output.result(delivery, toDeliveryLines({ ...delivery, attempts }));
  return attempts[0]?.result.outcome === 'acknowledged' ? exitCodes.ok : exitCodes.refused;
};
