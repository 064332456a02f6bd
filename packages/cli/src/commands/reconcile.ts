import { isRecord, type JsonObject, parseIsoTime, parseRecord } from '@service/internal';
import {
  AbortError,
  ConfigurationError,
  ConnectionError,
  type PaymentTrace,
  RateLimitError,
  type Reconciliation,
  type SentPayment,
  ServerError,
  TimeoutError,
  ValidationError,
} from '@service/sdk';
import { defineCommand, optional, value, type ValuesOf } from '../command.ts';
import { openClient, readSettings } from '../config.ts';
import { ReconciliationFailedError, UsageError } from '../errors.ts';
import { checkStdin, readText, STDIN } from '../input.ts';
import { formatCommand, quoteForShell, wrapProse } from '../output.ts';
import { collect, parseDuration, parseTime } from '../parse.ts';
import { type DefineCommand, exitCodes, type GlobalOptions, type Session } from '../session.ts';
import { type Line, type Terminal, toFields } from '../terminal.ts';

const input = {
  from: optional('[from]', 'currency to send, as given to pay'),
  to: optional('[to]', 'currency to receive, as given to pay'),
  amount: optional('[amount]', 'amount to send, as given to pay'),
  since: value('<time>', 'time of the pay, such as 2026-01-31T12:00:00Z', parseTime),
  purpose: value('<text>', 'purpose as given to pay; omit it if pay had none'),
  name: value('<text>', 'beneficiary name as given to pay'),
  account: value('<text>', 'beneficiary account as given to pay'),
  exclude: value('<id>', "id of a payment that another pay created, or 'none'; repeatable", collect),
  error: value('<file>', "output of pay --json, '-' for stdin; replaces FROM TO AMOUNT and --since"),
  wait: value('<span>', 'maximum time to search again while there is no record', parseDuration),
  readLag: value('<span>', 'time by which reads lag behind creates (default: 60s)', parseDuration),
  clockSkew: value('<span>', 'difference between the two clocks (default: 5m)', parseDuration),
  timeout: value('<span>', 'maximum time of each search (default: 60s)', parseDuration),
};

type Options = ValuesOf<typeof input>;

/** Defines `payment reconcile`, which searches for a payment whose outcome is unknown. It never creates a payment. */
export const paymentReconcileCommand: DefineCommand = defineCommand({
  input,
  isVerdict: true,
  help: `A payment is found by --purpose and the beneficiary together, or by an id in the response to pay.
Without them the command lists the payments that match, for a person to compare.
Exit codes: 0 found, 2 usage error, 3 still unknown. Ask the service before you pay again.

Example:
  $ service-cli payment reconcile USD EUR 100.00 --since 2026-01-31T12:00:00Z --name 'Acme Ltd'
  $ service-cli payment reconcile --error out.json --name 'Acme Ltd' --wait 5m # of pay … --json`,
  async run(session, options) {
    const { clock, output, globals } = session;
    const lost = await readLostPayment(session, options);
    const { clockSkew = CLOCK_SKEW } = options;
    if ('since' in lost && new Date(lost.since).getTime() > clock.now() + clockSkew)
      throw new UsageError('--since must not be in the future.');
    const found = await search(session, options, lost);
    await output.result(found, toLines(found, output.terminal, globals()));
    return found.result === 'found' ? exitCodes.ok : exitCodes.unknown;
  },
});

/** Returns the payment to search for: of the arguments and options, or of the output of `pay --json`. */
async function readLostPayment(
  session: Session,
  { from, to, amount, since, purpose, name, account, error: path }: Options,
): Promise<PaymentTrace | SentPayment> {
  if (account !== undefined && name === undefined)
    throw new UsageError('--account needs --name: together they identify the beneficiary.');
  const beneficiary = { beneficiary_name: name, beneficiary_account: account };
  if (path !== undefined) {
    if (from !== undefined || since !== undefined || purpose !== undefined)
      throw new UsageError('--error replaces FROM TO AMOUNT, --since and --purpose. Use one or the other.');
    const globals = session.globals();
    checkStdin([path, globals.keyFile]);
    const source = path === STDIN ? 'stdin' : JSON.stringify(path);
    const trace = readTrace(await readText(path, session, '--error'), source, globals);
    return name === undefined ? trace : { ...trace, sent: { ...trace.sent, ...beneficiary } };
  }
  if (from === undefined || to === undefined || amount === undefined || since === undefined)
    throw new UsageError(
      'Pass FROM TO AMOUNT --since TIME [--purpose TEXT] [--name NAME] [--account ACCOUNT] as given to pay, or --error FILE with the output of pay --json.',
    );
  return { from_currency: from, to_currency: to, amount, since, purpose, ...beneficiary };
}

/**
 * Reads the `PaymentOutcomeUnknownError` document that `pay --json` printed. The client validates its fields.
 *
 * @throws {UsageError} when the text has no such error.
 */
function readTrace(text: string, source: string, globals: GlobalOptions): PaymentTrace {
  const error = readError(text, source, globals);
  if (isRecord(error.sent) && !Number.isNaN(parseIsoTime(String(error.sentAt))))
    return error as unknown as PaymentTrace;
  throw new UsageError(
    `${source}: error.sentAt must be a time, and error.sent the payment, as pay --json printed them. ${ALTERNATIVE}`,
  );
}

const ALTERNATIVE = 'Without the file, pass FROM TO AMOUNT and --since TIME to payment reconcile.';
const EXPECTED =
  'It must be the output of `pay --json`: { "error": { "name": "PaymentOutcomeUnknownError", … } }.';

/** Returns the error of a document, or of the last one: the last document is the result. */
function readError(text: string, source: string, globals: GlobalOptions): JsonObject {
  const fail = (problem: string): never => {
    throw new UsageError(`${source}${problem}`, undefined, '--error');
  };
  if (text.trim() === '')
    return fail(` is empty: pay was ended before it printed a result. The payment may exist. ${ALTERNATIVE}`);
  const document = parseRecord(text) ?? parseRecord(text.trimEnd().split('\n').at(-1) ?? '');
  if (document === undefined) return fail(` is not a JSON object. ${EXPECTED} ${ALTERNATIVE}`);
  const { error, id } = document;
  const payment = typeof id === 'string' ? ` but the payment ${id}` : '';
  if (!isRecord(error)) return fail(` has no error${payment}, so there is nothing to reconcile.`);
  const { name, outcome } = error;
  if (name === 'PaymentOutcomeUnknownError') return error;
  const get = formatCommand(`payment get ${quoteForShell(String(error.id))}`, {}, globals);
  if (name === 'PaymentExistsError') return fail(`: the payment exists. Retrieve it with:\n  ${get}`);
  const found = name === undefined ? 'an error without a name' : `the error ${JSON.stringify(name)}`;
  return outcome === 'rejected' || outcome === 'not_sent'
    ? fail(` has ${found} with the outcome ${outcome}, so there is nothing to reconcile.`)
    : fail(` has ${found}. ${EXPECTED}`);
}

/** The assumed difference between clocks, in milliseconds. */
const CLOCK_SKEW = 300_000;
const MIN_DELAY = 1_000;
const MAX_DELAY = 30_000;

type Attempt = Reconciliation | ReconciliationFailedError;

/**
 * Searches again, within `--wait`, while there is no transaction for the payment, or the service does not respond.
 *
 * @throws {ReconciliationFailedError} when the transactions cannot be read.
 */
async function search(
  session: Session,
  { clockSkew = CLOCK_SKEW, exclude, timeout = 60_000, wait = 0, readLag }: Options,
  lost: PaymentTrace | SentPayment,
): Promise<Reconciliation> {
  const { clock, signal, output } = session;
  let isAsked = false;
  const onRequest = (): void => void (isAsked = true);
  const client = await openClient({ ...(await readSettings(session)), onRequest, readLag });
  const searchOnce = async (): Promise<Attempt> => {
    const limit = AbortSignal.timeout(timeout);
    try {
      const known = exclude?.filter((id) => id !== 'none');
      const searchOptions = { clockSkew, exclude: known, signal: AbortSignal.any([signal, limit]) };
      return await client.payments.reconcile(lost, searchOptions);
    } catch (failure) {
      // After the first request, a validation error is about the id in a transaction, not the user's input.
      if (!isAsked && (failure instanceof ConfigurationError || failure instanceof ValidationError))
        throw failure;
      const isLate = failure instanceof AbortError && limit.aborted && !signal.aborted;
      return new ReconciliationFailedError(
        isLate ? new TimeoutError('Not all transactions were read within --timeout.') : failure,
      );
    }
  };
  const deadline = clock.now() + wait;
  for (let delay = MIN_DELAY; ; delay = Math.min(delay * 2, MAX_DELAY)) {
    const attempt = await searchOnce();
    const pause = Math.min(delay, deadline - clock.now());
    const isFailed = attempt instanceof ReconciliationFailedError;
    if (canChange(attempt) && pause > 0) {
      const reason = isFailed ? 'The transactions cannot be read' : 'No transaction found yet';
      output.note(`${reason}; checking again in ${Math.ceil(pause / 1_000)} s.`);
      await clock.sleep(pause, signal);
      if (!signal.aborted) continue;
    }
    if (isFailed) throw attempt;
    return attempt;
  }
}

/** Whether a later search can have another result. */
function canChange(attempt: Attempt): boolean {
  if (attempt instanceof ReconciliationFailedError)
    return [ConnectionError, TimeoutError, ServerError, RateLimitError].some(
      (each) => attempt.cause instanceof each,
    );
  const { result } = attempt;
  return result === 'cannot_tell' ? attempt.reason === 'read_lag' : result === 'not_found_yet';
}

/** Formats the result. Every result but `found` ends with the warning not to create the payment again. */
function toLines(found: Reconciliation, terminal: Terminal, globals: GlobalOptions): Line[] {
  const toProse = (...lines: readonly string[]): string[] => wrapProse(lines, terminal);
  if (found.result === 'found') {
    const evidence = found.evidence === 'id' ? 'id' : 'purpose and beneficiary';
    const conclusion = `Found by its ${evidence}: THE PAYMENT EXISTS. Do not create it again.`;
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
      'Check again later, or with --wait 10m. If it does not appear, ask the service about it.',
      DO_NOT_REPEAT,
    );
  if (found.reason === 'read_lag')
    return toProse(
      'Cannot tell yet: no transaction leads to it so far, and the service may not show its newest ones yet.',
      `Check again after ${found.searchAgainAt}, or with --wait 10m.`,
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
