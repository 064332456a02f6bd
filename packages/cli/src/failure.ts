import { findRootCause, type SignatureHint } from '@service/internal';
import {
  AbortError,
  ConfigurationError,
  ConnectionError,
  PaymentOutcomeUnknownError,
  ServiceError,
  ValidationError,
  WaitTimeoutError,
} from '@service/sdk';
import { WebhookError } from '@service/webhooks';
import { CliError, ControlError, findOption, PaymentExistsError, toCliMessage, toMessage } from './errors.ts';
import { formatCommand, quoteForShell } from './output.ts';
import { type ExitCode, exitCodes, type GlobalOptions } from './session.ts';
import { formatMoney } from './terminal.ts';

interface Report {
  readonly code: ExitCode;
  /** The code that `service-cli explain` explains. */
  readonly name: string;
  readonly lines: readonly string[];
  readonly facts: object;
}

/** Converts an error to its report, with the next command to run if one is needed. `globals` are the options of every command. */
export function toFailure(
  error: unknown,
  globals: GlobalOptions = {},
): Omit<Report, 'name' | 'facts'> & { readonly document: object } {
  const { code, name, lines, facts } = toReport(error, globals);
  const explain = `service-cli explain ${name}`;
  return { code, document: { error: { ...facts, explain } }, lines: [...lines, `explain: ${explain}`] };
}

/** Formats an error as one line. */
export function summarize(error: unknown): string {
  return toReport(error, {}).lines.join(' ').replace('error: ', '');
}

function toReport(error: unknown, globals: GlobalOptions): Report {
  if (error instanceof ServiceError) {
    const message = toOptions(error.message, error);
    const option = error.outcome === 'not_sent' ? findOption(message) : undefined;
    return {
      code: codeOfService(error),
      name: error.name,
      lines: explainService(error, globals),
      facts: { ...error.toJSON(), message, option, docs: undefined, cause: causeOf(error) },
    };
  }
  if (error instanceof WebhookError) {
    const { name, code, message, hints } = error as WebhookError & {
      readonly hints?: readonly SignatureHint[];
    };
    const isSetup = code === 'unusable_secret' || code === 'invalid_options';
    return {
      code: isSetup ? exitCodes.usage : exitCodes.unverified,
      name: code,
      lines: [
        `error: ${message} (${code})`,
        ...(hints ?? []).map((hint) => `probable cause: ${hint.message}`),
      ],
      facts: { name, code, message, hints },
    };
  }
  if (!(error instanceof CliError)) {
    const message = toMessage(error);
    const lines = [`internal error: ${message}`];
    return { code: exitCodes.unknown, name: 'internal_error', lines, facts: { name: 'Error', message } };
  }
  return reportOwn(error, globals);
}

/** Reports an error that the command line throws on purpose. */
function reportOwn(error: CliError, globals: GlobalOptions): Report {
  const { name, code, message, cause, exitCode } = error;
  const facts = { name, code, message, ...error.facts };
  const report = { code: exitCode, name: code, lines: `error: ${message}`.split('\n'), facts };
  if (error instanceof ControlError) {
    const { status } = error;
    const line = `error: ${message} (${status === undefined ? code : `${code}, HTTP ${status}`})`;
    const lines = cause === undefined ? [line] : [line, `cause: ${toMessage(cause)}`];
    // The code of another server can be any text.
    return { ...report, name: /^[a-z_]+$/.test(code) ? code : 'no_control', lines };
  }
  if (cause === undefined) return report;
  const reason = summarize(cause);
  const advice =
    error instanceof PaymentExistsError
      ? [
          'THE PAYMENT EXISTS. Do not repeat this command. Retrieve the payment with the same key and base URL:',
          `  ${formatCommand(`payment get ${quoteForShell(error.id)}`, {}, globals)}`,
        ]
      : ['THE PAYMENT MAY EXIST. Do not create it again. Reconcile again with the same key and base URL.'];
  const lines = [...report.lines, `cause: ${reason}`, '', ...advice];
  return { ...report, lines, facts: { ...facts, cause: reason } };
}

function codeOfService(error: ServiceError): ExitCode {
  if (error instanceof ConfigurationError) return exitCodes.usage;
  if (error.outcome === 'rejected') return exitCodes.refused;
  return error instanceof ValidationError && error.outcome === 'not_sent'
    ? exitCodes.usage
    : exitCodes.unknown;
}

/** Returns the lines of an error of the client, with command line options in place of those of the client. */
function explainService(error: ServiceError, globals: GlobalOptions): string[] {
  const facts = [error.type, error.status && `HTTP ${error.status}`, error.requestId].filter(Boolean);
  const details = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  const cause = causeOf(error);
  // A field that the client found is in the message.
  const listed = (error.fields ?? []).filter(({ message }) => !error.message.includes(message));
  const fields = listed.map(({ field, message }) => `  ${field === '' ? '' : `${field}: `}${message}`);
  // Only Ctrl+C and SIGTERM abort a request of a command.
  const message = error instanceof AbortError ? 'Interrupted.' : error.message;
  const lines = [
    `error: ${message}${details}`,
    ...fields,
    ...(cause === undefined ? [] : [`cause: ${cause}`]),
  ];
  const translated = lines.map((line) => toOptions(line, error));
  if (!(error instanceof PaymentOutcomeUnknownError)) return translated;
  return [...translated, '', ...explainUnknown(error, globals)];
}

/** Replaces the code, and the fields of a request that was not sent, with options of the command line. */
function toOptions(text: string, { outcome }: ServiceError): string {
  const isLocal = outcome === 'not_sent';
  return toCliMessage(isLocal ? text.replaceAll(/\bbeneficiary_(?=[a-z]+\b)/g, '--') : text);
}

function causeOf(error: ServiceError): string | undefined {
  if (error instanceof PaymentOutcomeUnknownError || error instanceof WaitTimeoutError) {
    return error.cause instanceof ServiceError ? (causeOf(error.cause) ?? error.cause.message) : undefined;
  }
  if (!(error instanceof ConnectionError) && !(error instanceof ConfigurationError)) return undefined;
  const cause = findRootCause(error.cause);
  return cause === undefined || error.message.includes(cause) ? undefined : cause;
}

/** Returns the shell command that finds the payment, and the payment. */
function explainUnknown(error: PaymentOutcomeUnknownError, globals: GlobalOptions): string[] {
  const { paymentId, sentAt: since } = error;
  const { from_currency = '', to_currency = '', amount = '', purpose, ...beneficiary } = error.getBody();
  const args = [from_currency, to_currency, amount].map(quoteForShell).join(' ');
  const { beneficiary_name: name, beneficiary_account: account } = beneficiary;
  const options = { since, purpose, name, account, exclude: 'none' };
  const hint =
    purpose === undefined
      ? 'The payment has no purpose, so the command only lists payments of this amount. Compare their beneficiaries.'
      : 'If you made other payments like this one, name their ids in place of none.';
  const check =
    paymentId === undefined
      ? [formatCommand(`payment reconcile ${args}`, options, globals), hint]
      : [formatCommand(`payment get ${quoteForShell(paymentId)}`, {}, globals)];
  return [
    'THE PAYMENT MAY EXIST. Do not repeat this command before you have checked, with the same key and base URL:',
    ...check.map((line) => `  ${line}`),
    `Requested: ${formatMoney(amount, from_currency)} to ${to_currency}, sent at ${since}.`,
  ];
}
