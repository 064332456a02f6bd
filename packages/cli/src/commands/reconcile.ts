import { ConfigurationError, type Reconciliation, type SentPayment, ValidationError } from '@service/sdk';
import { argument, defineCommand, value, type ValuesOf } from '../command.ts';
import { openClient, readSettings } from '../config.ts';
import { ReconciliationFailedError, UsageError } from '../errors.ts';
import { formatCommand, wrapProse } from '../output.ts';
import { collect, parseDuration, parseTime, timeoutOption } from '../parse.ts';
import { type DefineCommand, exitCodes, type GlobalOptions, type Session } from '../session.ts';
import { type Line, type Terminal, toFields } from '../terminal.ts';

const input = {
  from: argument('currency to send, as given to pay'),
  to: argument('currency to receive, as given to pay'),
  amount: argument('amount to send, as given to pay'),
  since: value('<time>', 'time of the pay, such as 2026-01-31T12:00:00Z', parseTime, { isRequired: true }),
  purpose: value('<text>', 'purpose as given to pay; omit it if pay had none'),
  name: value('<text>', 'beneficiary name as given to pay'),
  account: value('<text>', 'beneficiary account as given to pay'),
  exclude: value('<id>', "id of a payment that another pay created, or 'none'; repeatable", collect),
  readLag: value('<span>', 'time by which reads lag behind creates (default: 60s)', parseDuration),
  clockSkew: value('<span>', 'difference between the two clocks (default: 5m)', parseDuration),
  timeout: timeoutOption('each request'),
};

type Options = ValuesOf<typeof input>;

/** Defines `payment reconcile`, which searches for a payment whose outcome is unknown. It never creates a payment. */
export const paymentReconcileCommand: DefineCommand = defineCommand({
  input,
  isVerdict: true,
  help: `A payment is found by --purpose and the beneficiary together.
Without them the command lists the payments that match, for a person to compare.
Exit codes: 0 found, 2 usage error, 3 still unknown. Ask the service before you pay again.

Example:
  $ service-cli payment reconcile USD EUR 100.00 --since 2026-01-31T12:00:00Z --name 'Acme Ltd'`,
  async run(session, options) {
    const { clock, output, globals } = session;
    const { from, to, amount, purpose, name, account } = options;
    if (account !== undefined && name === undefined)
      throw new UsageError('--account needs --name: together they identify the beneficiary.');
    const since = options.since as Date;
    if (since.getTime() > clock.now() + (options.clockSkew ?? CLOCK_SKEW))
      throw new UsageError('--since must not be in the future.');
    const beneficiary = { beneficiary_name: name, beneficiary_account: account };
    const lost = { from_currency: from, to_currency: to, amount, since, purpose, ...beneficiary };
    const found = await search(session, options, lost);
    await output.result(found, toLines(found, output.terminal, globals()));
    return found.result === 'found' ? exitCodes.ok : exitCodes.unknown;
  },
});

/** The assumed difference between clocks, in milliseconds. */
const CLOCK_SKEW = 300_000;

/** @throws {ReconciliationFailedError} when the transactions cannot be read. */
async function search(
  session: Session,
  { clockSkew = CLOCK_SKEW, exclude, timeout, readLag }: Options,
  lost: SentPayment,
): Promise<Reconciliation> {
  let isAsked = false;
  const onRequest = (): void => void (isAsked = true);
  const client = await openClient({ ...(await readSettings(session, timeout)), onRequest, readLag });
  const known = exclude?.filter((id) => id !== 'none');
  try {
    return await client.payments.reconcile(lost, { clockSkew, exclude: known, signal: session.signal });
  } catch (error) {
    // After the first request, a validation error is about the id in a transaction, not the user's input.
    if (!isAsked && (error instanceof ConfigurationError || error instanceof ValidationError)) throw error;
    throw new ReconciliationFailedError(error);
  }
}

/** Formats the result. Every result but `found` ends with the warning not to create the payment again. */
function toLines(found: Reconciliation, terminal: Terminal, globals: GlobalOptions): Line[] {
  const toProse = (...lines: readonly string[]): string[] => wrapProse(lines, terminal);
  if (found.result === 'found') {
    const conclusion = 'Found by its purpose and beneficiary: THE PAYMENT EXISTS. Do not create it again.';
    return [...toFields(found.payment, terminal), '', ...toProse(conclusion)];
  }
  const command = `  ${formatCommand('transactions --all', {}, globals)}`;
  const unclear = found.reason === 'unclear_records' ? [UNCLEAR_RECORDS, 'List them with:', command] : [];
  if (found.result === 'ambiguous')
    return [
      ...found.payments.flatMap((payment) => [...toFields(payment, terminal), '']),
      ...toProse(`Ambiguous: ${ambiguities[found.reason]}`, ...unclear, DO_NOT_REPEAT),
    ];
  if (found.result === 'not_found_yet')
    return toProse(
      'Not found yet: there is no transaction for it so far. THE PAYMENT MAY STILL APPEAR, so this proves nothing.',
      'Check again later. If it does not appear, ask the service about it.',
      DO_NOT_REPEAT,
    );
  if (found.reason === 'read_lag')
    return toProse(
      'Cannot tell yet: no transaction leads to it so far, and the service may not show its newest ones yet.',
      `Check again after ${found.searchAgainAt}.`,
      DO_NOT_REPEAT,
    );
  return toProse('Cannot tell: some transactions are unclear.', ...unclear, DO_NOT_REPEAT);
}

type Ambiguous = Extract<Reconciliation, { readonly result: 'ambiguous' }>;

/** The reason of an ambiguous result, and the needed decision. */
const ambiguities: Readonly<Record<Ambiguous['reason'], string>> = {
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
  missing_exclude:
    'one payment matches, but another create can have made it. Pass the ids of your other payments with --exclude, or --exclude none.',
  open_create: 'another create can have made the payment. Decide that one first.',
  unclear_records: 'one payment matches, but some transactions are unclear.',
};

const UNCLEAR_RECORDS = 'They may belong to it, but do not identify a payment.';
const DO_NOT_REPEAT =
  'Do not create it again: THE PAYMENT MAY EXIST until the service itself has confirmed to a person that it does not.';
