import { runClock } from '@service/internal';
import type { PaymentIntent, PaymentTrace, Reconciliation } from '@service/sdk';
import type { Command } from 'commander';
import { openClient, readSettings } from '../config.ts';
import { UsageError } from '../errors.ts';
import { checkStdin, readText, STDIN } from '../input.ts';
import { formatCommand, tolerateHangUp } from '../output.ts';
import { parseDuration, parseTime } from '../parse.ts';
import { readLostPayment } from '../reconcile/lost-payment.ts';
import { search } from '../reconcile/search.ts';
import {
  type CreateAction,
  type ExitCode,
  exitCodes,
  type GlobalOptions,
  type Handler,
  type Session,
} from '../session.ts';
import { type Line, type Terminal, wrap } from '../terminal.ts';
import { toPaymentLines } from './payments.ts';

/** Defines `payment reconcile`, which searches for a payment whose outcome is unknown. It never creates a payment. */
export function defineReconcile(command: Command, act: CreateAction): void {
  command
    .argument('[from]', 'currency to send, as given to pay, such as USD')
    .argument('[to]', 'currency to receive, as given to pay, such as EUR')
    .argument('[amount]', 'amount to send, as given to pay, such as 100.00')
    .option('--since <time>', 'time of the pay, such as 2026-01-31T12:00:00Z', parseTime)
    .option('--purpose <text>', 'purpose as given to pay; omit it if pay had none')
    .option('--name <text>', 'beneficiary name as given to pay')
    .option('--account <text>', 'beneficiary account as given to pay')
    .option('--exclude <id>', 'id of a payment that another pay created; repeatable', collect, [])
    .option(
      '--error <file>',
      "output of pay --json, '-' for stdin; in place of the arguments and --since, --purpose",
    )
    .option('--wait <span>', 'maximum time to search again while there is no record', parseDuration)
    .option(
      '--read-lag <span>',
      'maximum time by which reads lag behind creates (default: 60s)',
      parseDuration,
    )
    .option('--clock-skew <span>', 'maximum difference between the two clocks (default: 5m)', parseDuration)
    .option('--timeout <span>', 'maximum time of each search (default: 60s)', parseDuration)
    .addHelpText('after', helpText)
    .action(act(reconcile));
}

function collect(value: string, list: readonly string[]): readonly string[] {
  return [...list, value];
}

const helpText = `
A payment is identified by --purpose and the beneficiary together, or by an id in the response to pay. Without
them the command lists the payments that match, for a person to compare.

Exit codes: 0 found, 2 usage error, no search, 3 still unknown. No result of this command proves that it is safe
to create the payment again: only a person who has asked the service can decide that.

Example:
  $ service-cli payment reconcile USD EUR 100.00 --since 2026-01-31T12:00:00Z --purpose INV-42 \\
      --name 'Acme Ltd' --account DE89370400440532013000
  $ service-cli pay … --json > out.json ||
      service-cli payment reconcile --error out.json --name 'Acme Ltd' --account DE89370400440532013000 --wait 5m`;

type Args = readonly [from?: string, to?: string, amount?: string];
interface Options {
  readonly since?: Date;
  readonly purpose?: string;
  readonly name?: string;
  readonly account?: string;
  readonly exclude: readonly string[];
  readonly error?: string;
  readonly wait?: number;
  readonly readLag?: number;
  readonly clockSkew?: number;
  readonly timeout?: number;
}

const reconcile: Handler<Args, Options> = async (session, { args, options }) => {
  const { environment, output } = session;
  const lost = await readLostPaymentOptions(session, args, options);
  const { readLag, clockSkew = 300_000, timeout = 60_000, wait = 0, exclude } = options;
  const { signal, clock = runClock } = environment;
  if ('since' in lost && new Date(lost.since).getTime() > clock.now() + clockSkew)
    throw new UsageError('--since must not be in the future.');
  let isAsked = false;
  const onRequest = (): void => void (isAsked = true);
  const client = await openClient({ ...(await readSettings(session)), onRequest, readLag });
  const note = (line: string): void => output.note(line);
  const result = await search({
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
  return printResult(result, session);
};

async function printResult(reconciliation: Reconciliation, { output, globals }: Session): Promise<ExitCode> {
  // A closed pipe must not turn an unknown outcome into exit code 0.
  await tolerateHangUp(
    output.result(reconciliation, toReconciliationLines(reconciliation, output.terminal, globals())),
  );
  return reconciliation.result === 'found' ? exitCodes.ok : exitCodes.unknown;
}

async function readLostPaymentOptions(
  session: Session,
  args: Args,
  { error, since, purpose, name, account }: Options,
): Promise<PaymentTrace | PaymentIntent> {
  const [from_currency, to_currency, amount] = args;
  if (account !== undefined && name === undefined)
    throw new UsageError('--account needs --name: together they identify the beneficiary.');
  if (error !== undefined) {
    const isDuplicate = from_currency !== undefined || since !== undefined || purpose !== undefined;
    if (isDuplicate)
      throw new UsageError('--error replaces FROM TO AMOUNT, --since and --purpose. Use one or the other.');
    const trace = await readDocument(session, error);
    return name === undefined ? trace : { ...trace, beneficiary: { name, account } };
  }
  if (from_currency === undefined || to_currency === undefined || amount === undefined || since === undefined)
    throw new UsageError(
      'Pass FROM TO AMOUNT --since TIME [--purpose TEXT] [--name NAME] [--account ACCOUNT] as given to pay, or --error FILE with the output of pay --json.',
    );
  const beneficiary = { beneficiary_name: name, beneficiary_account: account };
  return { from_currency, to_currency, amount, since, purpose, ...beneficiary };
}

async function readDocument(session: Session, path: string): Promise<PaymentTrace> {
  checkStdin([path, session.globals().keyFile]);
  const text = await readText(path, session);
  return readLostPayment(text, path === STDIN ? 'stdin' : JSON.stringify(path));
}

/**
 * Formats the result of `payment reconcile`. Every result but `found` ends with the warning not to create the
 * payment again.
 */
function toReconciliationLines(
  reconciliation: Reconciliation,
  terminal: Terminal,
  globals: GlobalOptions,
): Line[] {
  if (reconciliation.result === 'found') {
    const conclusion = `Found by its ${evidenceNames[reconciliation.evidence]}: THE PAYMENT EXISTS. Do not create it again.`;
    return [...toPaymentLines(reconciliation.payment, terminal), '', ...wrapAll([conclusion], terminal)];
  }
  if (reconciliation.result !== 'ambiguous')
    return wrapAll([...explain(reconciliation, globals), DO_NOT_REPEAT], terminal);
  const lines = reconciliation.payments.flatMap((payment) => [...toPaymentLines(payment, terminal), '']);
  const conclusion = `Ambiguous: ${ambiguities[reconciliation.reason]}`;
  return [...lines, ...wrapAll([conclusion, DO_NOT_REPEAT], terminal)];
}

function wrapAll(lines: readonly string[], { width = Infinity }: Terminal): string[] {
  return lines.flatMap((line) => (line.startsWith(' ') ? [line] : wrap(line, width)));
}

/** A reconciliation with a result. */
type Of<Result> = Extract<Reconciliation, { readonly result: Result }>;

const evidenceNames: Readonly<Record<Of<'found'>['evidence'], string>> = {
  id: 'id',
  'purpose+beneficiary': 'purpose and beneficiary',
};

/** The reason of an ambiguous result, and the needed decision. */
const ambiguities: Readonly<Record<Of<'ambiguous'>['reason'], string>> = {
  several_payments:
    'more than one payment matches. Exclude known payments with --exclude. A person must decide.',
  different_fields:
    'the payment shows another beneficiary or purpose, which the service may have altered. A person must compare them.',
  unconfirmed_purpose:
    'only the amount and the currencies match. Exclude known payments with --exclude. A person must decide.',
  unconfirmed_beneficiary:
    'the purpose and amount match, but the beneficiary is not fully known. Compare it, or pass --name and --account.',
  older_payment:
    'the only match is older than the create. A person must compare the times. With a mock, run this command before you advance its clock.',
  unclear_time:
    'the service does not show whether the payment is older than the create. A person must compare the times.',
  open_create: 'another create can have made the payment. Decide that one first.',
  unclear_records:
    'some transactions may belong to it, but do not identify a payment. List them with: service-cli transactions --all',
};

/** Explains a result without a payment. */
function explain(
  reconciliation: Extract<Reconciliation, { readonly result: 'not_found_yet' | 'cannot_tell' }>,
  globals: GlobalOptions,
): readonly string[] {
  if (reconciliation.result === 'not_found_yet')
    return [
      'Not found yet: there is no transaction for it so far. THE PAYMENT MAY STILL APPEAR, so this proves nothing.',
      'Check again later, or with --wait 10m. If it does not appear, ask the service about it.',
    ];
  if (reconciliation.reason === 'read_lag')
    return [
      'Cannot tell yet: no transaction leads to it so far, and the service may not show its newest ones yet.',
      `Check again after ${reconciliation.searchAgainAt}, or with --wait 10m.`,
    ];
  return [
    'Cannot tell: some transactions may belong to it, but do not identify a payment.',
    'List them with:',
    `  ${formatCommand('transactions --all', {}, globals)}`,
  ];
}

const DO_NOT_REPEAT =
  'Do not create it again: THE PAYMENT MAY EXIST until the service itself has confirmed to a person that it does not.';
