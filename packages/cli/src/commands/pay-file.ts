import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { userInfo } from 'node:os';
import { type Micro, toMicro } from '@service/internal';
import { ServiceError } from '@service/sdk';
import { createPayer, type Intent, type IntentStore, memoryStore } from '@service/sdk/payer';
import type { SqliteStore } from '@service/sdk/payer/sqlite';
import { InvalidArgumentError } from 'commander';
import { argument, defineCommand, flag, value, type ValuesOf } from '../command.ts';
import { modeOfKey, openClient, readSettings } from '../config.ts';
import { CliError, UsageError } from '../errors.ts';
import { toFailure } from '../failure.ts';
import { checkStdin, readText } from '../input.ts';
import { checkFolder, formatCommand, quoteForShell } from '../output.ts';
import { parseDuration, parseWhole, timeoutOption } from '../parse.ts';
import { checkFile, compareStore } from '../pay-file/check-file.ts';
import {
  addAmounts,
  checkMaximum,
  formatTotals,
  type Funds,
  readFunds,
  toFundsLines,
} from '../pay-file/funds.ts';
import { describeNextSteps, printReport, saveReport, toExitCode } from '../pay-file/report.ts';
import { planPayments, type RunContext, sendPayments } from '../pay-file/run.ts';
import { applyIntent, countStates, isFinal, readBody, type RunPayment } from '../pay-file/run-payment.ts';
import { findStore, listIntents, type StorePlace } from '../pay-file/store.ts';
import { type DefineCommand, type ExitCode, exitCodes, type Session, whenAborted } from '../session.ts';
import { formatCount, formatMoney } from '../terminal.ts';

const input = {
  file: argument("CSV file, '-' for stdin; the same command continues a run"),
  store: value('<file>', 'SQLite file of the recorded payments (default: FILE.payments.db)'),
  dryRun: flag('check the file, show quotes and balances, and send nothing'),
  yes: flag('do not ask; required without a terminal'),
  live: flag('allow a live key, which pays real money'),
  maxTotal: value('<currency=amount>', 'maximum total; repeatable; required with a live key', addMaximum),
  report: value('<file>', 'write the result of each payment as CSV'),
  status: flag('print the recorded payments; sends nothing', { conflicts: ['dryRun', 'yes'] }),
  resolve: value('<ref=decision>', 'record pay_… or never-made for a payment', toResolution, {
    conflicts: ['status', 'dryRun', 'report'],
  }),
  because: value('<text>', 'reason of --resolve, without personal data'),
  keyRetention: value('<span>', 'time for which the service replays equal keys, or none (default)', (text) =>
    text === 'none' ? text : parseDuration(text),
  ),
  concurrency: value('<count>', 'payments at the same time, 1 to 100 (default: 4)', parseWhole(1, 100)),
  allowSimilar: flag('pay lines that are similar to others or to paid ones'),
  timeout: timeoutOption('each request'),
  clockSkew: value('<span>', 'maximum difference between clocks (default: 60s)', parseDuration),
  by: value('<name>', 'person who decides (default: the user of this machine)'),
};

type Options = ValuesOf<typeof input>;

/** Defines `pay-file`, which creates each payment of a file once, also if it is ended and started again. */
export const payFileCommand: DefineCommand = defineCommand({
  input,
  isVerdict: true,
  help: `Keep the store: without it, the lines would be paid again.

Example:
  $ service-cli pay-file payments.csv`,
  async run(session, options) {
    if (options.resolve !== undefined) return resolveRecorded(session, options);
    if (options.because !== undefined) throw new UsageError('--because needs --resolve.');
    return options.status ? showRecorded(session, options) : payFile(session, options);
  },
});

function addMaximum(
  text: string,
  before: ReadonlyMap<string, Micro> = new Map(),
): ReadonlyMap<string, Micro> {
  const [, currency = '', amount] = /^([a-z]{3})=(\d{1,15}(?:\.\d{1,6})?)$/i.exec(text) ?? [];
  const micro = toMicro(amount);
  if (micro !== undefined) return new Map([...before, [currency.toUpperCase(), micro]]);
  throw new InvalidArgumentError('Write a currency and an amount, such as USD=5000.00.');
}

/** Parses a decision. `paymentId` is undefined for `never-made`. */
function toResolution(text: string): { readonly reference: string; readonly paymentId: string | undefined } {
  const [, reference = '', decision = ''] = /^(.+)=(pay_[\w-]+|never-made)$/.exec(text) ?? [];
  if (reference !== '') return { reference, paymentId: decision === 'never-made' ? undefined : decision };
  throw new InvalidArgumentError('Write REFERENCE=pay_… or REFERENCE=never-made.');
}

/** The client of a run, and the payers over its stores. */
type Connection = Awaited<ReturnType<typeof connect>>;

/** Maximum time of a search for payments in milliseconds. Ctrl+C ends it earlier. */
const RECONCILE_TIME = 3_600_000;

/** The assumed difference between clocks, in milliseconds. */
const CLOCK_SKEW = 60_000;

/**
 * Creates the client of a run.
 *
 * @throws {UsageError} when there is no key.
 */
async function connect(session: Session, options: Options) {
  const { timeout = 30_000, clockSkew = CLOCK_SKEW, concurrency, keyRetention } = options;
  const settings = await readSettings(session, timeout);
  const retention = keyRetention === 'none' ? undefined : keyRetention;
  const client = await openClient({ ...settings, keyRetention: retention });
  // A resumed run waits for the leases of the last one.
  const payerOptions = { concurrency, clockSkew, lease: 2 * timeout, reconcileTime: RECONCILE_TIME };
  return {
    client,
    isLive: modeOfKey(settings.apiKey) === 'live',
    baseUrl: settings.baseUrl,
    connectPayer: (store: IntentStore) => createPayer(client, { store, ...payerOptions }),
  };
}

/** Pays a file: checks it, shows its quotes and totals, asks, and creates each payment once. */
async function payFile(session: Session, options: Options): Promise<ExitCode> {
  const { file: path, allowSimilar = false, clockSkew = CLOCK_SKEW } = options;
  const { cwd = '', signal } = session;
  checkStdin([path, session.globals().keyFile]);
  const place = await findStore(session, options);
  await checkReport(options, place, cwd);
  const connection = await connect(session, options);
  checkRunOptions(options, connection);
  const text = await readText(path, session);
  // A store that does not exist is not created before the question.
  let store = place.exists ? await place.open() : undefined;
  try {
    // The check of a file has the digests of the other stores.
    const checkStore = { ...memoryStore(), fingerprintKey: undefined };
    const { prepare, run } = connection.connectPayer(store ?? checkStore);
    // An aborted run only compares the account: a store of another one is no problem of a line.
    await run({ signal: AbortSignal.abort() })[Symbol.asyncIterator]().next();
    const file = await session.output.wait(
      () => ({ text: 'Checking the file' }),
      () => checkFile(text, { prepare, allowSimilar, signal }),
    );
    if (store) await compareStore(file, store, place.name, allowSimilar);
    const payments = [...file.payments.values()];
    const dryRunCode = await approve(session, options, connection, { payments, store: place.name });
    if (dryRunCode !== undefined) return dryRunCode;
    if (!store) {
      store = await place.open();
      // Another process can have created it in the meantime.
      await compareStore(file, store, place.name, allowSimilar);
    }
    const context = { session, file, store, payer: connection.connectPayer(store), clockSkew };
    return await pay(context, options);
  } finally {
    store?.close();
  }
}

/** @throws {UsageError} when the report has no place, or would replace a file of the run. */
async function checkReport({ file, report }: Options, place: StorePlace, cwd = ''): Promise<void> {
  if (report === undefined) return;
  if (!/\.csv$/i.test(report)) throw new UsageError('--report must be the name of a file that ends in .csv.');
  await checkFolder('--report', report);
  // A link can be another name of the same file.
  const toFile = (path: string): string => {
    const location = resolve(cwd, path);
    const found = statSync(location, { throwIfNoEntry: false });
    return found ? `${found.dev}:${found.ino}` : location;
  };
  const isSame = (path: string): boolean => toFile(report) === toFile(path);
  const used = isSame(file) ? 'the payment file' : isSame(place.name) && 'the store';
  if (used) throw new UsageError(`--report is ${used}, which it would replace. Name another file.`);
}

/**
 * Checks the options of a run that depend on each other and on the mode.
 *
 * @throws {UsageError} when one is missing.
 */
function checkRunOptions(options: Options, { isLive }: Connection): void {
  const { keyRetention, live } = options;
  if (isLive && live !== true)
    throw new UsageError('The API key is live: the run would pay real money. Pass --live to allow it.');
  if (isLive && keyRetention === undefined)
    throw new UsageError(
      'A live key needs --key-retention. Pass none if you have no statement of the service for live mode.',
    );
}

/**
 * Shows the totals, quotes and balances, and asks. Returns the exit code of a dry run.
 *
 * @throws {UsageError} when the total is too high, or the answer is not yes.
 * @throws {CliError} when a wallet does not cover its payments.
 */
async function approve(
  session: Session,
  { maxTotal = new Map(), dryRun, file, yes }: Options,
  { client, isLive, baseUrl }: Connection,
  { payments, store }: { readonly payments: readonly RunPayment[]; readonly store: string },
): Promise<ExitCode | undefined> {
  const { signal, output } = session;
  checkMaximum(payments, { maxTotal, isLive });
  const unsent = payments.filter(({ state }) => state === 'new' || state === 'planned');
  const requestFunds = (): Promise<Funds> =>
    readFunds(client, unsent, signal).catch((error: unknown) => {
      if (signal.aborted) throw new UsageError('Interrupted. Nothing was sent.');
      if (error instanceof ServiceError) output.note(NOTHING_SENT);
      throw error;
    });
  const funds = await output.wait(() => ({ text: 'Requesting quotes and balances' }), requestFunds);
  const isCovered = funds.wallets.every((wallet) => wallet.isCovered);
  const counts = countStates(payments);
  const before = payments.length - counts.new;
  const created = counts.created === 0 ? '' : `, ${counts.created} created before`;
  const history = before === 0 ? 'none was recorded before' : `${before} recorded before${created}`;
  const heading = [`${formatCount(payments.length, 'payment')} in ${file}, ${history}.`, `Store: ${store}`];
  const lines = toFundsLines(funds, output.terminal);
  if (dryRun) {
    const document = { payments: payments.length, states: counts, store, ...funds };
    await output.result(document, [...heading, ...lines, 'Nothing was sent.']);
  } else output.note(...heading, ...lines.map((line) => ['  ', ...[line].flat()]));
  if (!isCovered)
    throw new CliError('LowBalanceError', 'The balance does not cover the payments. Nothing was sent.', {
      code: 'low_balance',
      exitCode: exitCodes.refused,
      facts: { wallets: funds.wallets },
    });
  if (dryRun) return exitCodes.ok;
  const open = payments.filter((payment) => !isFinal(payment));
  const key = isLive ? 'LIVE key' : 'test key';
  const question = `Pay ${formatCount(open.length, 'payment')}, ${formatTotals(addAmounts(open))}, with a ${key} at ${baseUrl}?`;
  if (open.length > 0) await confirm(session, question, yes);
  return undefined;
}

const NOTHING_SENT = 'Nothing was sent by this run. Correct the error, and run the same command again.';

/**
 * Asks on a terminal, unless `--yes` was passed.
 *
 * @throws {UsageError} when the answer is not yes, or there is no terminal.
 */
async function confirm(
  { stdin, signal, output }: Session,
  question: string,
  yes: true | undefined,
): Promise<void> {
  if (yes) return;
  if (stdin.isTTY !== true)
    throw new UsageError('Without a terminal, --yes is required to confirm. Nothing was sent.');
  output.note(`${question} Type yes to continue:`);
  const readLine = async (): Promise<string> => {
    let text = '';
    for await (const chunk of stdin) {
      text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      if (text.includes('\n')) break;
    }
    return text.split('\n', 1)[0] ?? '';
  };
  const interrupted = whenAborted(signal).then(() => '');
  const answer = await Promise.race([readLine().catch(() => ''), interrupted]);
  if (answer.trim().toLowerCase() !== 'yes') throw new UsageError('Not confirmed. Nothing was sent.');
}

/** Creates the payments, and prints the report. */
async function pay(context: RunContext, options: Options): Promise<ExitCode> {
  const { session, file } = context;
  const { signal, output } = session;
  try {
    await planPayments(context);
  } catch (error) {
    output.note(NOTHING_SENT);
    throw error;
  }
  let error: unknown;
  if (!signal.aborted) {
    try {
      await sendPayments(context);
    } catch (thrown) {
      error = thrown;
    }
  }
  const code = await finish(session, [...file.payments.values()], options);
  if (error === undefined) return code;
  const failure = toFailure(error);
  output.note(...failure.lines.map(removeClaim));
  const document = JSON.parse(removeClaim(JSON.stringify(failure.document))) as object;
  if (output.json) await output.result(document, []).catch(() => {});
  // Requests were sent, so it is no usage error.
  const isUnknown = code === exitCodes.unknown || failure.code === exitCodes.usage;
  return isUnknown ? exitCodes.unknown : failure.code;
}

/** Removes a claim of the payer about one payment: others were sent. */
function removeClaim(text: string): string {
  return text.replace(/ Nothing was sent\.|; nothing was sent|"outcome":"not_sent",/g, '');
}

/** Prints and saves the report, and the next steps. Returns the exit code of the payments. */
async function finish(
  session: Session,
  payments: readonly RunPayment[],
  { report, file, store }: Options,
): Promise<ExitCode> {
  const { output, globals } = session;
  let code = toExitCode(payments);
  try {
    if (report !== undefined) await saveReport(report, payments);
  } catch (error) {
    output.note(...toFailure(error).lines);
    if (code === exitCodes.ok) code = exitCodes.unknown;
  }
  const command = `pay-file ${quoteForShell(file)}`;
  const statusCommand = formatCommand(command, { status: true, store }, globals());
  try {
    await printReport(payments, output);
  } finally {
    output.note(...describeNextSteps(payments, statusCommand));
  }
  return code;
}

/** Prints the recorded payments of a run. Sends nothing, and needs no API key. */
async function showRecorded(session: Session, options: Options): Promise<ExitCode> {
  const store = await openExisting(session, options);
  const payments: RunPayment[] = [];
  try {
    for await (const intent of listIntents(store)) payments.push(toRunPayment(intent));
  } finally {
    store.close();
  }
  return finish(session, payments, options);
}

/** Records the decision of a person about a payment. */
async function resolveRecorded(session: Session, options: Options): Promise<void> {
  const { resolve: { reference = '', paymentId } = {}, because, by = readUserName(), yes } = options;
  if (because === undefined) throw new UsageError('--resolve needs --because, the reason of the decision.');
  const { connectPayer } = await connect(session, options);
  const store = await openExisting(session, options);
  try {
    const found = await store.read(reference);
    if (found === undefined)
      throw new UsageError(`The store has no payment ${reference}. Nothing was changed.`);
    await confirm(session, toQuestion(toRunPayment(found), paymentId), yes);
    const { version } = found;
    const decision = paymentId === undefined ? { neverMade: true as const } : { paymentId };
    const resolved = await connectPayer(store).resolve(reference, { version, by, because, ...decision });
    await printReport([toRunPayment(resolved)], session.output);
  } finally {
    store.close();
  }
}

async function openExisting(session: Session, options: Options): Promise<SqliteStore> {
  const place = await findStore(session, options);
  await checkReport(options, place, session.cwd);
  if (!place.exists) throw new UsageError(`There is no store ${place.name}: no payment was recorded.`);
  session.output.note(`Store: ${place.name}`);
  return place.open();
}

function toRunPayment(intent: Intent): RunPayment {
  const { reference, digest } = intent;
  const payment: RunPayment = { line: undefined, reference, digest, body: readBody(intent), state: 'new' };
  applyIntent(payment, intent);
  return payment;
}

function toQuestion(payment: RunPayment, paymentId: string | undefined): string {
  const { reference, state, body, sentAt } = payment;
  const money = body.from_currency ? ` of ${formatMoney(body.amount, body.from_currency)}` : '';
  const sent = sentAt === undefined ? 'not sent' : `first sent at ${sentAt}`;
  const made = `that its payment is ${paymentId}`;
  const decision = paymentId === undefined ? 'that it was never made, and is never sent again' : made;
  return `${reference}${money} is ${state}, ${sent}. Record ${decision}?`;
}

function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UsageError('--resolve needs --by, because the user of this machine has no name.');
  }
}
