import { resolve } from 'node:path';
import { createMemoryStore, type IntentStore } from '@service/sdk/intents';
import { UsageError } from '../errors.ts';
import { toFailure } from '../failure.ts';
import { checkStdin, readValidText, STDIN } from '../input.ts';
import { checkFolder, formatCommand } from '../output.ts';
import { type ExitCode, exitCodes, type Session } from '../session.ts';
import { type Line, toPlain } from '../terminal.ts';
import { checkFile, type PaymentFile } from './check-file.ts';
import { compareStore } from './compare-store.ts';
import { addAmounts, checkMaximum, formatTotals, type Funds, readFunds, toFundsLines } from './funds.ts';
import type { FileOptions } from './options.ts';
import { confirm } from './question.ts';
import { describeNextSteps, printReport, saveReport, toExitCode } from './report.ts';
import { followPayments, planPayments, type RunContext, sendPayments } from './run.ts';
import { countStates, isFinal, type RunPayment } from './run-payment.ts';
import { checkRunOptions, connect, type Connection } from './settings.ts';
import { findStore, type StorePlace } from './store.ts';

/** A checked file, and everything that its run uses. */
interface FileRun {
  readonly session: Session;
  readonly options: FileOptions;
  readonly connection: Connection;
  readonly place: StorePlace;
  readonly file: PaymentFile;
}

/** Pays a file: checks it, shows its quotes and totals, asks, and creates each payment once. */
export async function payFile(session: Session, options: FileOptions): Promise<ExitCode> {
  const { file: path = '', report, allowSimilar = false } = options;
  const { cwd = '' } = session.environment;
  checkStdin([path, session.globals().keyFile]);
  if (report !== undefined && !/\.(?:csv|json)$/i.test(report))
    throw new UsageError('--report must be the name of a file that ends in .csv or .json.');
  await checkFolder('--report', report);
  const place = await findStore(session, options);
  for (const [name, used] of [
    ['the payment file', path],
    ['the store', place.name],
  ] as const) {
    if (report !== undefined && resolve(cwd, report) === resolve(cwd, used))
      throw new UsageError(`--report is ${name}, which it would replace. Name another file.`);
  }
  const connection = await connect(session, options);
  checkRunOptions(options, connection);
  const text = await readValidText(path === STDIN ? STDIN : resolve(cwd, path), session);
  // A store that does not exist is not created before the question.
  let opened = place.exists ? await place.open() : undefined;
  try {
    const { prepare } = connection.connectPayer(opened?.store ?? createCheckStore());
    const file = await session.output.wait(
      () => ({ text: 'Checking the file' }),
      () => checkFile(text, { prepare, allowSimilar }),
    );
    const run = { session, options, connection, place, file };
    if (opened) await compareStore(file, { ...opened, name: place.name, allowSimilar });
    const refusal = await approve(run);
    if (refusal !== undefined) return refusal;
    if (!opened) {
      opened = await place.open();
      // Another process can have created it in the meantime.
      await compareStore(file, { ...opened, name: place.name, allowSimilar });
    }
    const { clockSkew, connectPayer } = connection;
    const { store } = opened;
    return await pay(run, { session, file, store, payer: connectPayer(store), clockSkew });
  } finally {
    await opened?.close();
  }
}

/** Creates a store for the check of a file, with the digests of the other stores. */
function createCheckStore(): IntentStore {
  return { ...createMemoryStore(), fingerprintKey: undefined };
}

/**
 * Shows the totals, quotes and balances, and asks. Returns the exit code of a run that must not start.
 *
 * @throws {UsageError} when the total is too high, or the answer is not yes.
 */
async function approve({
  session,
  options,
  connection,
  place,
  file,
}: FileRun): Promise<ExitCode | undefined> {
  const { environment, output } = session;
  const { client, isLive, baseUrl } = connection;
  const payments = [...file.payments.values()];
  checkMaximum(payments, { maxTotal: options.maxTotal ?? new Map(), isLive });
  const unsent = payments.filter(({ state }) => state === 'new' || state === 'planned');
  const funds = await output.wait(
    () => ({ text: 'Requesting quotes and balances' }),
    () => readFunds(client, unsent, environment.signal).catch(toInterruption(environment.signal)),
  );
  const isCovered = funds.wallets.every((wallet) => wallet.isCovered);
  const lines = [describeFile(payments, { options, place }), ...toFundsLines(funds, output.terminal)];
  if (options.dryRun) await output.result(toDocument(payments, funds), [...lines, 'Nothing was sent.']);
  else output.note(...lines.map(toIndented));
  if (!isCovered) output.note('error: The balance does not cover the payments. Nothing was sent.');
  if (options.dryRun || !isCovered) return isCovered ? exitCodes.ok : exitCodes.refused;
  const open = payments.filter((payment) => !isFinal(payment));
  if (open.length === 0) return undefined;
  const key = isLive ? 'LIVE key' : 'test key';
  const question = `Pay ${countPayments(open)}, ${formatTotals(addAmounts(open))}, with a ${key} at ${baseUrl}?`;
  await confirm(session, { question, yes: options.yes });
  return undefined;
}

function toInterruption(signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    throw signal.aborted ? new UsageError('Interrupted. Nothing was sent.') : (error as Error);
  };
}

function toDocument(payments: readonly RunPayment[], funds: Funds): object {
  return { payments: payments.length, states: countStates(payments), ...funds };
}

/** Tables stay whole: notes break lines that are not indented. */
function toIndented(line: Line, index: number): string {
  return index === 0 ? toText(line) : `  ${toText(line)}`;
}

function toText(line: Line): string {
  return [line].flat().map(toPlain).join('');
}

function describeFile(
  payments: readonly RunPayment[],
  { options: { file = '' }, place }: Pick<FileRun, 'options' | 'place'>,
): string {
  const counts = countStates(payments);
  const before = payments.length - counts.new;
  const created = counts.created === 0 ? '' : `, ${counts.created} created before`;
  const history = before === 0 ? 'none was recorded before' : `${before} recorded before${created}`;
  return `${countPayments(payments)} in ${file}, ${history} (store ${place.name}).`;
}

function countPayments({ length }: readonly unknown[]): string {
  return length === 1 ? '1 payment' : `${length} payments`;
}

/** Creates the payments, and prints the report. */
async function pay(run: FileRun, context: RunContext): Promise<ExitCode> {
  const { session, options, connection } = run;
  const { environment, output } = session;
  const payments = [...run.file.payments.values()];
  const { wait = false, waitTimeout: timeout = 60_000, concurrency = 4 } = options;
  try {
    await planPayments(context);
  } catch (error) {
    output.note('Nothing was sent by this run. Correct the error, and run the same command again.');
    throw error;
  }
  let error: unknown;
  if (!environment.signal.aborted) {
    try {
      await sendPayments(context);
      if (wait) await followPayments(context, { client: connection.client, timeout, concurrency });
    } catch (thrown) {
      error = thrown;
    }
  }
  const code = await finish(session, { payments, options, wait });
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
  return text.replace(' Nothing was sent.', '');
}

/** Returns the command that prints the recorded payments of a run, and the step before it. */
export function toStatusCommand(
  { globals }: Pick<Session, 'globals'>,
  { file, store }: FileOptions,
): string[] {
  // The URL of a database can contain a password, which is not printed.
  const hasSecret = store !== undefined && URL.canParse(store) && hasPassword(store);
  const options = { file: file === STDIN ? undefined : file, store: hasSecret ? undefined : store };
  return [
    ...(hasSecret ? ['Set SERVICE_INTENT_STORE to the URL of --store first.'] : []),
    `  ${formatCommand('pay --status', options, globals())}`,
  ];
}

function hasPassword(store: string): boolean {
  const { password, searchParams } = new URL(store);
  return password !== '' || [...searchParams.keys()].some((name) => name !== 'table');
}

/** Prints and saves the report, and the next steps. Returns the exit code of the payments. */
export async function finish(
  session: Session,
  {
    payments,
    options,
    wait,
  }: {
    readonly payments: readonly RunPayment[];
    readonly options: FileOptions;
    readonly wait: boolean;
  },
): Promise<ExitCode> {
  const { output } = session;
  let code = toExitCode(payments, { wait });
  await printReport(payments, output);
  try {
    if (options.report !== undefined) await saveReport(options.report, payments);
  } catch (error) {
    output.note(...toFailure(error).lines);
    if (code === exitCodes.ok) code = exitCodes.unknown;
  }
  output.note(...describeNextSteps(payments, toStatusCommand(session, options)));
  return code;
}
