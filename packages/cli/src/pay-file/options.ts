import { type Micro, toMicro } from '@service/internal';
import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.ts';
import { parseDuration, parseWhole } from '../parse.ts';

/** The options of `pay` for files of payments; durations in milliseconds. */
export interface FileOptions {
  readonly file?: string;
  readonly store?: string;
  readonly yes?: true;
  readonly live?: true;
  readonly maxTotal?: ReadonlyMap<string, Micro>;
  readonly allowSimilar?: true;
  readonly dryRun?: true;
  readonly concurrency?: number;
  readonly keyRetention?: number | 'none';
  readonly clockSkew?: number;
  readonly report?: string;
  readonly status?: true;
  readonly resolve?: Resolution;
  readonly because?: string;
  readonly by?: string;
  readonly wait?: true;
  readonly waitTimeout?: number;
  readonly timeout?: number;
}

/** The value of `--resolve`. */
export interface Resolution {
  readonly reference: string;
  /** Undefined for `never-made`. */
  readonly paymentId: string | undefined;
}

/** Adds the options of `pay` for files of payments. */
export function addFileOptions(command: Command): void {
  command
    .optionsGroup('Options of a file of payments:')
    .option(
      '--file <file>',
      "CSV or NDJSON file of payments, '-' for stdin; the same command continues a run",
    )
    .option(
      '--store <file>',
      'file or URL of the recorded payments (default: SERVICE_INTENT_STORE, else FILE.payments.db)',
    )
    .option('--dry-run', 'check the file, show quotes and balances, and send nothing')
    .option('--yes', 'do not ask; required without a terminal')
    .option('--live', 'allow a live key, which pays real money')
    .option(
      '--max-total <currency=amount>',
      'maximum total of the file; repeatable; required with a live key',
      addMaximum,
    )
    .option('--allow-similar', 'pay lines that are similar to others or to paid ones')
    .option('--concurrency <count>', 'payments at the same time, 1 to 100 (default: 4)', parseWhole(1, 100))
    .option(
      '--key-retention <span>',
      'time for which the service replays the payment of a repeated Idempotency-Key, or none (default: none)',
      parseRetention,
    )
    .option('--clock-skew <span>', 'maximum difference between clocks (default: 60s)', parseDuration)
    .option('--report <file>', 'write the result of each payment as CSV, or as JSON to FILE.json')
    .option('--status', 'print the recorded payments; sends nothing')
    .option('--resolve <reference=decision>', 'record pay_… or never-made for a payment', toResolution)
    .option('--because <text>', 'reason of --resolve, without personal data')
    .option('--by <name>', 'person who decides (default: the user of this machine)');
}

function parseRetention(text: string): number | 'none' {
  return text === 'none' ? text : parseDuration(text);
}

function addMaximum(
  text: string,
  earlier: ReadonlyMap<string, Micro> = new Map(),
): ReadonlyMap<string, Micro> {
  const [, currency = '', amount] = /^([a-z]{3})=(\d{1,15}(?:\.\d{1,6})?)$/i.exec(text) ?? [];
  const micro = toMicro(amount);
  if (micro !== undefined) return new Map([...earlier, [currency.toUpperCase(), micro]]);
  throw new InvalidArgumentError('Write a currency and an amount, such as USD=5000.00.');
}

function toResolution(text: string): Resolution {
  const [, reference = '', decision = ''] = /^(.+)=(pay_\w+|never-made)$/.exec(text) ?? [];
  if (reference !== '') return { reference, paymentId: decision === 'never-made' ? undefined : decision };
  throw new InvalidArgumentError('Write REFERENCE=pay_… or REFERENCE=never-made.');
}

const options = {
  file: '--file',
  store: '--store',
  dryRun: '--dry-run',
  yes: '--yes',
  live: '--live',
  maxTotal: '--max-total',
  allowSimilar: '--allow-similar',
  concurrency: '--concurrency',
  keyRetention: '--key-retention',
  clockSkew: '--clock-skew',
  report: '--report',
  status: '--status',
  resolve: '--resolve',
  because: '--because',
  by: '--by',
  wait: '--wait',
  waitTimeout: '--wait-timeout',
  timeout: '--timeout',
} as const satisfies Readonly<Record<keyof FileOptions, string>>;

/** A task of `pay` with files of payments. */
export type FileTask = 'run' | 'status' | 'resolve';

/** The options that each task permits. */
const permitted: Readonly<Record<FileTask, readonly (keyof FileOptions)[]>> = {
  run: (Object.keys(options) as (keyof FileOptions)[]).filter(
    (name) => !['status', 'resolve', 'because', 'by'].includes(name),
  ),
  status: ['file', 'store', 'status', 'report'],
  resolve: ['file', 'store', 'resolve', 'because', 'by', 'yes', 'clockSkew', 'timeout'],
};

/**
 * Returns the task of the options, or undefined for one payment.
 *
 * @throws {UsageError} when an option has no effect on the task.
 */
export function findTask(
  given: FileOptions,
  others: Readonly<Record<string, unknown>>,
): FileTask | undefined {
  const task = given.resolve
    ? 'resolve'
    : given.status
      ? 'status'
      : given.file === undefined
        ? undefined
        : 'run';
  const used = (Object.keys(options) as (keyof FileOptions)[]).filter((name) => given[name] !== undefined);
  if (task === undefined) {
    const extra = used.find((name) => !['wait', 'waitTimeout', 'timeout'].includes(name));
    if (extra !== undefined) throw new UsageError(`${options[extra]} needs --file.`);
    return undefined;
  }
  const label = task === 'run' ? '--file' : `--${task}`;
  const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  const extra = used.find((name) => !permitted[task].includes(name));
  const name = other ?? (extra && options[extra]);
  if (name !== undefined) throw new UsageError(`${name} cannot be used with ${label}.`);
  return task;
}
