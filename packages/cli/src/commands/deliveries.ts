import { type Command, Option } from 'commander';
import { modes } from '../config.ts';
import { toDeliveryLines } from '../delivery-lines.ts';
import { exitCodes } from '../exit-code.ts';
import { parseId } from '../parse.ts';
import type { DeliveryFilter } from '../sandbox/deliveries.ts';
import type { Act, Handler } from '../session.ts';

/** Adds `webhooks deliveries` and `webhooks resend`, over the control of a running `mock`. */
export function addDeliveries(webhooks: Command, act: Act): void {
  webhooks
    .command('deliveries')
    .description('List the deliveries of a mock, oldest first, with every attempt; with --json one a line.')
    .option('--payment <id>', 'keep those of one payment')
    .option('--failed', 'keep those that were tried and not acknowledged')
    .addOption(
      new Option('--mode <mode>', 'mode of the account (default: that of the API key)').choices(modes),
    )
    .option('--account <id>', 'the id of an account (default: that of the API key)', parseId)
    .addHelpText('after', '\nExample:\n  $ service-cli webhooks deliveries --failed --json | jq -r .id')
    .action(act(listDeliveries));
  webhooks
    .command('resend')
    .description('Try a delivery of a mock once more, now; exit 1 when it is not acknowledged.')
    .argument('<id>', 'id of the delivery, such as dlv_test_…', parseId)
    .addHelpText('after', '\nExample:\n  $ service-cli webhooks resend dlv_test_…')
    .action(act(resend));
}

const listDeliveries: Handler<readonly [], DeliveryFilter> = async (session, { options }) => {
  const { fetchDeliveries } = await import('../sandbox/deliveries.ts');
  const deliveries = await fetchDeliveries(session, options);
  for (const delivery of deliveries) await session.output.result(delivery, toDeliveryLines(delivery));
  if (deliveries.length === 0) session.output.note('There is no such delivery.');
  return exitCodes.ok;
};

const resend: Handler<readonly [string], object> = async (session, { args }) => {
  const { redeliver } = await import('../sandbox/deliveries.ts');
  const delivery = await redeliver(session, args[0]);
  const attempts = delivery.attempts.slice(-1);
  await session.output.result(delivery, toDeliveryLines({ ...delivery, attempts }));
  return attempts[0]?.result.outcome === 'acknowledged' ? exitCodes.ok : exitCodes.refused;
};
