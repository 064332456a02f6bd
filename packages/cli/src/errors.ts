import { type ExitCode, exitCodes } from './session.ts';

/** The parts of an error besides its name and message. */
interface CliErrorOptions {
  /** The code that `service-cli explain` explains. */
  readonly code: string;
  /** @default 3, the outcome is unknown */
  readonly exitCode?: ExitCode;
  /** The fields of the JSON document besides name, code and message. */
  readonly facts?: object;
  readonly cause?: unknown;
}

/** An error that the command line throws on purpose. */
export class CliError extends Error {
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly facts: object;

  constructor(name: string, message: string, options: CliErrorOptions) {
    super(message, options);
    this.name = name;
    this.code = options.code;
    this.exitCode = options.exitCode ?? exitCodes.unknown;
    this.facts = options.facts ?? {};
  }
}

/**
 * Wrong arguments or configuration. The message states the change to make. Nothing was sent. `option` is the option with the
 * wrong value, unless the message starts with one.
 */
export class UsageError extends CliError {
  constructor(message: string, code = 'usage_error', option?: string) {
    const named = findOption(message) ?? option;
    const text = named === undefined || message.includes(named) ? message : `${named}: ${message}`;
    super('UsageError', text, { code, exitCode: exitCodes.usage, facts: { option: named } });
  }
}

/** Returns the option at the start of a message. */
export function findOption(message: string): string | undefined {
  return /^--[a-z-]+/.exec(message)?.[0];
}

/** A line of a payment file, from 1, and its problem. Contains no names and account numbers. */
export interface LineProblem {
  readonly line: number;
  readonly message: string;
}

/** Maximum number of problems in the message of a `PaymentFileError`. Its document has all of them. */
const MAX_SHOWN = 100;

/** A payment file that cannot be paid, because of its lines. Nothing was sent. */
export class PaymentFileError extends CliError {
  constructor(summary: string, problems: readonly LineProblem[] = []) {
    const sorted = problems.toSorted((one, other) => one.line - other.line);
    const shown = sorted.slice(0, MAX_SHOWN).map(({ line, message }) => `  line ${line}: ${message}`);
    const rest = sorted.length - shown.length;
    const more = rest === 0 ? [] : [`  and ${rest} more; --json prints all of them`];
    const message = [`${summary} Nothing was sent.`, ...shown, ...more].join('\n');
    super('PaymentFileError', message, {
      code: 'invalid_payment_file',
      exitCode: exitCodes.usage,
      facts: { problems: sorted },
    });
  }
}

/** An error after a payment was created, so that the payment is not created again. `cause` is the original error. */
export class PaymentExistsError extends CliError {
  readonly id: string;

  constructor(id: string, cause: unknown) {
    const message = `The payment ${id} was created, but a later step failed.`;
    super('PaymentExistsError', message, { code: 'payment_exists', facts: { id }, cause });
    this.id = id;
  }
}

/** The records could not be read, so the outcome of the payment is still unknown. `cause` is the reason. */
export class ReconciliationFailedError extends CliError {
  constructor(
    cause: unknown,
    message = 'The records could not be read, so it is unknown whether the payment exists.',
  ) {
    const facts = { outcome: 'unknown' };
    super('ReconciliationFailedError', message, { code: 'reconciliation_failed', facts, cause });
  }
}

/**
 * The control API of a mock rejected a request, failed, or does not exist. The code is that of the control API, or
 * `no_control`, `no_answer` or `unreadable_answer`. Only a status of 4xx proves that the operation did not run.
 */
export class ControlError extends CliError {
  readonly status: number | undefined;

  constructor(code: string, message: string, status?: number, cause?: string) {
    const isRefusal = status !== undefined && status >= 400 && status < 500;
    const refused = code === 'invalid_argument' ? exitCodes.usage : exitCodes.refused;
    const exitCode = isRefusal ? refused : exitCodes.unknown;
    super('ControlError', message, { code, exitCode, facts: { status, cause }, cause });
    this.status = status;
  }
}

/** Returns the message of anything that was thrown. */
export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An address to listen on. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Creates the error for an address that cannot be listened on. `advice` ends the message if the port is in use. */
export function createAddressError(
  { host, port }: ListenAddress,
  error: unknown,
  advice = 'Choose another one with --port, or 0 for any free port.',
): UsageError {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return new UsageError(`Port ${port} is in use. ${advice}`, 'port_in_use');
  const option = /NOTFOUND|NOTAVAIL/.test(code) ? '--host' : undefined;
  return new UsageError(`Cannot listen on ${host}, port ${port}: ${code}.`, undefined, option);
}

/** The code in messages of the other packages, and the option of the command line in its place. */
const terms: readonly (readonly [code: string, option: string])[] = [
  ["with createMock({ accounts: 'open' })", 'with mock --accounts open'],
  ["Create the mock with clock: 'manual' to move it", 'Start it with mock --clock manual to move it'],
  ["with createMock({ webhooks: { allowHosts: ['hooks.example'] } })", 'with mock --allow-webhook-host HOST'],
  ['webhooks.allowHosts must be a list of hosts', '--allow-webhook-host must be a host'],
  ['createMock: ', ''],
  ['allowInsecureHttp: true', '--allow-insecure-http'],
  [', as a string or a finite number,', ''],
  ['baseUrl', '--base-url'],
  ['idempotencyKey', '--idempotency-key'],
  ['Use rawAmount() to read it.', 'It is rounded.'],
];

/** Replaces the code in a message of another package with options of the command line. */
export function toCliMessage(message: string): string {
  return terms.reduce((text, [code, option]) => text.replace(code, option), message);
}

/**
 * Runs a step that applies options or a seed file to a mock.
 *
 * @param option The option that names them.
 * @throws {UsageError} when the mock rejects them.
 */
export async function configure<T>(step: () => T | Promise<T>, option?: string): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof Error && error.name === 'SandboxError')
      throw new UsageError(toCliMessage(error.message), undefined, option);
    throw error;
  }
}

/** Describes an error that a mock reports: a stored setting that it leaves out, or a defect. */
export function describeDefect(error: unknown): string {
  const isSetting = error instanceof Error && error.name === 'SandboxError';
  return `${isSetting ? 'warning' : 'internal error'}: ${toMessage(error)}`;
}
