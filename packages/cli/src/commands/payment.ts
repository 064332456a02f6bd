import type { WaitGoal } from '@service/sdk';
import { type Command, Option } from 'commander';
import { connect } from '../config.ts';
import { exitCodes } from '../exit-code.ts';
import { parseDuration } from '../parse.ts';
import { toPaymentLines } from '../payment-lines.ts';
import type { CreateAction, Handler } from '../session.ts';
import { follow } from './follow.ts';
import { addReconcile } from './reconcile.ts';

/** Adds `payment get` and `payment wait`, which call `GET /payments/{payment_id}`, and `payment reconcile`. */
export function addPayment(program: Command, act: CreateAction): void {
  const payment = program
    .command('payment')
    .description('Print a payment, wait for its status, or find one whose outcome is unknown.');
  payment
    .command('get')
    .description('Print a payment.')
    .argument('<id>', 'id of the payment, such as pay_test_…')
    .option('--timeout <span>', 'maximum time of the request (default: 30s)', parseDuration)
    .addHelpText('after', '\nExample:\n  $ service-cli payment get pay_test_… --json | jq -r .status')
    .action(act(getPayment));
  payment
    .command('wait')
    .description(
      'Print each status of a payment as it changes. Exits 1 if the final status is not the requested one.',
    )
    .argument('<id>', 'id of the payment, such as pay_test_…')
    .addOption(
      new Option('--until <status>', 'status to wait for; any final status ends the wait')
        .choices(goals)
        .default('final'),
    )
    .option('--timeout <span>', 'maximum total time (default: 60s)', parseDuration)
    .addHelpText(
      'after',
      '\nExample:\n  $ service-cli payment wait pay_test_… --until completed --timeout 5m',
    )
    .action(act(waitForPayment));
  addReconcile(payment, act);
}

interface GetOptions {
  readonly timeout?: number;
}
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
