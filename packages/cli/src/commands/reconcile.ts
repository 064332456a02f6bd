import type { PaymentIntent, PaymentTrace, Reconciliation } from '@service/sdk';
import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { openClient, readSettings } from '../config.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { checkStdin, readText, STDIN } from '../input.ts';
import { tolerateHangUp } from '../lost-output-error.ts';
import { readLostPayment } from '../lost-payment.ts';
import type { Output } from '../output.ts';
import { parseDuration, parseTime } from '../parse.ts';
import { toReconciliationLines } from '../reconcile/reconciliation-lines.ts';
import type { Act, Handler, Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';

/** Adds `payment reconcile`: finds out what became of a create whose outcome is unknown; it reads and never creates. */
export function addReconcile(payment: Command, act: Act): void {
  payment
    .command('reconcile')
    .description('Find out what became of a payment whose outcome is unknown. Reads, and never creates.')
    .argument('[from]', 'currency that was to be sent, such as USD')
    .argument('[to]', 'currency that was to be received, such as EUR')
    .argument('[amount]', 'amount that was to be sent, such as 100.00')
    .option('--since <time>', 'when it was sent, such as 2026-01-31T12:00:00Z', parseTime)
    .option('--purpose <text>', 'purpose that it was sent with; left out where it had none')
    .option('--name <text>', 'beneficiary name that it was sent with')
    .option('--account <text>', 'beneficiary account that it was sent with')
    .option('--exclude <id>', 'id of a payment that another pay made; repeatable', collect, [])
    .option('--error <file>', "take the rest from what pay --json printed, '-' for stdin")
    .option('--wait <span>', 'ask again, for so long at most, while there is no record of it', parseDuration)
    .option('--clock-skew <span>', 'how far the two clocks may differ (default: 5m)', parseDuration)
    .option('--timeout <span>', 'limit each look at the records (default: 60s)', parseDuration)
    .addHelpText('after', helpText)
    .action(act(reconcile));
}

function collect(value: string, list: readonly string[]): readonly string[] {
  return [...list, value];
}

const helpText = `
Only --purpose and the beneficiary together, or an id in the response to the pay, identify a payment. Without
them the payments that match are listed, for a person to decide.

Exit codes: 0 it was found, 3 nobody knows yet, 2 it did not look. None of them, and no answer of this
command, is leave to create the payment again: that is for a person who has asked the service.

Example:
  $ service-cli payment reconcile USD EUR 100.00 --since 2026-01-31T12:00:00Z --purpose INV-42 \\
      --name 'Acme Ltd' --account DE89370400440532013000
  $ service-cli pay … --json > out.json ||
      service-cli payment reconcile --error out.json --name 'Acme Ltd' --account DE89370400440532013000 --wait 5m`;

type Args = readonly [from?: string, to?: string, amount?: string];
type Options = {
  readonly since?: Date;
  readonly purpose?: string;
  readonly name?: string;
  readonly account?: string;
  readonly exclude: readonly string[];
  readonly error?: string;
  readonly wait?: number;
  readonly clockSkew?: number;
  readonly timeout?: number;
};

const reconcile: Handler<Args, Options> = async (session, { args, options }) => {
  const { environment, output } = session;
  const lost = await readLost(session, args, options);
  const { clockSkew = 300_000, timeout = 60_000, wait = 0, exclude } = options;
  const { signal, clock = systemClock } = environment;
  if ('since' in lost && new Date(lost.since).getTime() > clock.now() + clockSkew)
    throw new UsageError('--since lies in the future: no payment was sent then.');
  let isAsked = false;
  const onRequest = (): void => void (isAsked = true);
  const client = await openClient({ ...(await readSettings(session)), onRequest });
  const { search } = await import('../reconcile/search.ts');
  const note = (line: string): void => output.note(line);
  const found = await search({
    client,
    lost,
    clockSkew,
    exclude,
    timeout,
    wait,
    signal,
    clock,
    note,
    isAsked: () => isAsked,
  });
  return tell(found, output);
};

async function tell(found: Reconciliation, output: Output): Promise<ExitCode> {
  // A reader that went away must not turn what nobody knows into a 0.
  await tolerateHangUp(output.result(found, toReconciliationLines(found)));
  return found.result === 'found' ? exitCodes.ok : exitCodes.unknown;
}

async function readLost(
  session: Session,
  args: Args,
  { error, since, purpose, name, account }: Options,
): Promise<PaymentTrace | PaymentIntent> {
  const [from_currency, to_currency, amount] = args;
  if (account !== undefined && name === undefined)
    throw new UsageError('--account needs --name: both identify the beneficiary.');
  if (error !== undefined) {
    const isNamedTwice = from_currency !== undefined || since !== undefined || purpose !== undefined;
    if (isNamedTwice)
      throw new UsageError(
        '--error has the rest: leave out FROM TO AMOUNT, --since and --purpose, or --error.',
      );
    const trace = await readDocument(session, error);
    return name === undefined ? trace : { ...trace, beneficiary: { name, account } };
  }
  if (from_currency === undefined || to_currency === undefined || amount === undefined || since === undefined)
    throw new UsageError(
      'Name what was asked for, FROM TO AMOUNT --since TIME [--purpose TEXT] [--name NAME] [--account ACCOUNT], or pass --error FILE with what pay --json printed.',
    );
  const beneficiary = { beneficiary_name: name, beneficiary_account: account };
  return { from_currency, to_currency, amount, since, purpose, ...beneficiary };
}

async function readDocument(session: Session, path: string): Promise<PaymentTrace> {
  checkStdin([path, session.globals().keyFile]);
  const text = await readText(path, session);
  return readLostPayment(text, path === STDIN ? 'The input' : JSON.stringify(path));
}
