import type { WaitGoal } from '@service/sdk';
import { type Command, Option } from 'commander';
import { connect } from '../config.ts';
import { exitCodes } from '../exit-code.ts';
import { parseDuration } from '../parse.ts';
import { toPaymentLines } from '../payment-lines.ts';
import type { Act, Handler } from '../session.ts';
import { follow } from './follow.ts';
import { addReconcile } from './reconcile.ts';

/** Adds `payment get` and `payment wait`, `GET /payments/{payment_id}` (spec §4), and `payment reconcile`. */
export function addPayment(program: Command, act: Act): void {
  const payment = program
    .command('payment')
    .description('Look at a payment, wait for it, or find one in doubt.');
  payment
    .command('get')
    .description('Show a payment as it stands now.')
    .argument('<id>', 'id of the payment, such as pay_test_…')
    .option('--timeout <span>', 'limit the request (default: 30s)', parseDuration)
    .addHelpText('after', '\nExample:\n  $ service-cli payment get pay_test_… --json | jq -r .status')
    .action(act(getPayment));
  payment
    .command('wait')
    .description(
      'Show each status of a payment as it changes; exit 1 when it ends as another than asked for.',
    )
    .argument('<id>', 'id of the payment, such as pay_test_…')
    .addOption(
      new Option('--until <status>', 'wait for this status; a final one ends the waiting in any case')
        .choices(goals)
        .default('final'),
    )
    .option('--timeout <span>', 'limit the whole waiting (default: 60s)', parseDuration)
    .addHelpText(
      'after',
      '\nExample:\n  $ service-cli payment wait pay_test_… --until completed --timeout 5m',
    )
    .action(act(waitForPayment));
  addReconcile(payment, act);
}

type GetOptions = { readonly timeout?: number };
const goals: readonly WaitGoal[] = ['final', 'pending', 'processing', 'completed', 'failed'];

type WaitOptions = GetOptions & { readonly until: WaitGoal };

const getPayment: Handler<readonly [string], GetOptions> = async (session, { args, options }) => {
  const client = await connect(session, options.timeout);
  const payment = await client.payments.retrieve(args[0], { signal: session.environment.signal });
  await session.output.result(payment, toPaymentLines(payment));
  return exitCodes.ok;
};

const waitForPayment: Handler<readonly [string], WaitOptions> = async (session, { args, options }) => {
  const client = await connect(session);
  const { until, timeout = 60_000 } = options;
  return follow(session, { client, id: args[0], until, timeout });
};
