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
    .option('--error <file>', "take all of that from what pay --json printed, '-' for stdin")
    .option('--wait <span>', 'ask again, for so long at most, while there is no record of it', parseDuration)
    .option('--clock-skew <span>', 'how far the two clocks may differ (default: 5m)', parseDuration)
    .option('--timeout <span>', 'limit each look at the records (default: 60s)', parseDuration)
    .addHelpText('after', helpText)
    .action(act(reconcile));
}

const helpText = `
Exit codes: 0 it was found, 3 nobody knows yet, 2 it did not look. None of them, and no answer of this
command, is leave to create the payment again: that is for a person who has asked the service.

Example:
  $ service-cli payment reconcile USD EUR 100.00 --since 2026-01-31T12:00:00Z --purpose INV-42
  $ service-cli pay … --json > out.json || service-cli payment reconcile --error out.json --wait 5m`;

type Args = readonly [from?: string, to?: string, amount?: string];
type Options = {
  readonly since?: Date;
  readonly purpose?: string;
  readonly error?: string;
  readonly wait?: number;
  readonly clockSkew?: number;
  readonly timeout?: number;
};

const reconcile: Handler<Args, Options> = async (session, { args, options }) => {
  const { environment, output } = session;
  const lost = await readLost(session, args, options);
  const { clockSkew = 300_000, timeout = 60_000, wait = 0 } = options;
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
  { error, since, purpose }: Options,
): Promise<PaymentTrace | PaymentIntent> {
  const [from_currency, to_currency, amount] = args;
  if (error !== undefined) {
    const isNamedTwice = from_currency !== undefined || since !== undefined || purpose !== undefined;
    if (isNamedTwice)
      throw new UsageError(
        '--error says it all: leave out FROM TO AMOUNT, --since and --purpose, or --error.',
      );
    return readDocument(session, error);
  }
  if (from_currency === undefined || to_currency === undefined || amount === undefined || since === undefined)
    throw new UsageError(
      'Name what was asked for, FROM TO AMOUNT --since TIME [--purpose TEXT], or pass --error FILE with what pay --json printed.',
    );
  return { from_currency, to_currency, amount, since, purpose };
}

async function readDocument(session: Session, path: string): Promise<PaymentTrace> {
  checkStdin([path, session.globals().keyFile]);
  const text = await readText(path, session);
  return readLostPayment(text, path === STDIN ? 'The input' : JSON.stringify(path));
}
