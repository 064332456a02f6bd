import { findRootCause } from '@service/internal';
import {
  ConfigurationError,
  ConnectionError,
  PaymentOutcomeUnknownError,
  ServiceError,
  ValidationError,
  WaitTimeoutError,
} from '@service/sdk';
import { isWebhookError, SETUP_CODES, type WebhookError } from '@service/webhooks';
import {
  ControlError,
  PaymentExistsError,
  PaymentFileError,
  ReconciliationFailedError,
  StopConditionError,
  UsageError,
} from './errors.ts';
import { docs } from './generated/docs.ts';
import { formatCommand, LostOutputError, quoteForShell } from './output.ts';
import { type ExitCode, exitCodes, type GlobalOptions } from './session.ts';

/** An error as the command line reports it: the exit code, the `--json` document and the text lines. */
export interface Failure {
  readonly code: ExitCode;
  readonly document: { readonly error: object };
  readonly lines: readonly string[];
}

/**
 * Converts an error to its report, with the next command to run if one is needed. `guide` is the documentation of the
 * command, for an error without an address of its documentation. `globals` are the options of every command.
 */
export function toFailure(error: unknown, guide?: string, globals: GlobalOptions = {}): Failure {
  const lines = explainError(error, globals);
  const known = lines !== undefined && error instanceof Error ? error : new Error(toMessage(error));
  const page = findDocs(known, guide);
  return {
    code: toExitCode(known),
    document: { error: { ...toDocument(known), docs: page } },
    lines: [
      ...(lines ?? [`internal error: ${known.message}`]),
      ...(page === undefined ? [] : [`docs: ${page}`]),
    ],
  };
}

/** Returns the lines of an error. Undefined for an error that no code throws on purpose. */
function explainError(error: unknown, globals: GlobalOptions): string[] | undefined {
  if (error instanceof PaymentOutcomeUnknownError) return explainUnknown(error, globals);
  if (error instanceof ServiceError) return explainService(error).map((line) => toClientTerms(line, error));
  if (isWebhookError(error)) return [`error: ${error.message} (${error.code})`];
  if (error instanceof PaymentExistsError) return explainExisting(error, globals);
  if (error instanceof ControlError) return explainControl(error);
  if (error instanceof ReconciliationFailedError) return explainFailedReconciliation(error);
  return hasFullMessage(error) ? `error: ${error.message}`.split('\n') : undefined;
}

/** Whether the message of an error needs no further explanation. */
function hasFullMessage(error: unknown): error is Error {
  return (
    error instanceof UsageError ||
    error instanceof PaymentFileError ||
    error instanceof LostOutputError ||
    error instanceof StopConditionError
  );
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the address of the documentation of an error. */
function findDocs(error: Error, guide: string | undefined): string | undefined {
  if (error instanceof ServiceError || isWebhookError(error) || error instanceof ControlError)
    return error.docs;
  if (error instanceof UsageError) return error.docs ?? guide;
  const leavesPayment = error instanceof PaymentExistsError || error instanceof ReconciliationFailedError;
  if (leavesPayment) return `${docs.exitCodes}#after-a-pay-that-exits-3`;
  if (error instanceof PaymentFileError) return docs.paymentFiles;
  return error instanceof StopConditionError ? guide : undefined;
}

/** Formats an error as one line. */
export function summarize(error: unknown): string {
  return toFailure(error)
    .lines.filter((line) => !line.startsWith('docs: '))
    .join(' ')
    .replace('error: ', '');
}

function toDocument(error: Error): object {
  if (error instanceof ServiceError) return { ...error.toJSON(), cause: causeOf(error) };
  const { name, message } = error;
  if (error instanceof PaymentExistsError) {
    return { name, message, id: error.id, cause: summarize(error.cause) };
  }
  if (error instanceof ControlError) {
    return { name, code: error.code, status: error.status, message, cause: error.cause };
  }
  if (error instanceof ReconciliationFailedError) {
    return { name, message, outcome: error.outcome, cause: summarize(error.cause) };
  }
  if (error instanceof PaymentFileError) return { name, message, problems: error.problems };
  return isWebhookError(error) ? { name, code: error.code, message } : { name, message };
}

function toExitCode(error: Error): ExitCode {
  if (error instanceof UsageError || error instanceof PaymentFileError || error instanceof ConfigurationError)
    return exitCodes.usage;
  if (error instanceof ControlError) return error.isRefusal ? exitCodes.refused : exitCodes.unknown;
  if (isWebhookError(error)) return isSetup(error) ? exitCodes.usage : exitCodes.unverified;
  if (!(error instanceof ServiceError)) return exitCodes.unknown;
  if (error.outcome === 'rejected') return exitCodes.refused;
  return error instanceof ValidationError && error.outcome === 'not_sent'
    ? exitCodes.usage
    : exitCodes.unknown;
}

function isSetup({ code }: WebhookError): boolean {
  return SETUP_CODES.some((setup) => setup === code);
}

function explainService(error: ServiceError): string[] {
  const facts = [error.type, error.status && `HTTP ${error.status}`, error.requestId].filter(Boolean);
  const details = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  const cause = causeOf(error);
  // A field that the client found is in the message.
  const listed = (error.fields ?? []).filter(({ message }) => !error.message.includes(message));
  const fields = listed.map(({ field, message }) => `  ${field === '' ? '' : `${field}: `}${message}`);
  return [
    `error: ${error.message}${details}`,
    ...fields,
    ...(cause === undefined ? [] : [`cause: ${cause}`]),
  ];
}

/** Replaces the options of a client in a message of `@service/sdk` with command line options. */
function toClientTerms(message: string, { outcome }: ServiceError): string {
  const text = outcome === 'not_sent' ? message.replaceAll(/\bbeneficiary_(?=[a-z]+\b)/g, '--') : message;
  return text.replace('allowInsecureHttp: true', '--allow-insecure-http').replace('baseUrl', '--base-url');
}

function causeOf(error: ServiceError): string | undefined {
  if (error instanceof PaymentOutcomeUnknownError || error instanceof WaitTimeoutError) {
    return error.cause instanceof ServiceError ? (causeOf(error.cause) ?? error.cause.message) : undefined;
  }
  if (!(error instanceof ConnectionError) && !(error instanceof ConfigurationError)) return undefined;
  const cause = findRootCause(error.cause);
  return cause === undefined || error.message.includes(cause) ? undefined : cause;
}

function explainUnknown(error: PaymentOutcomeUnknownError, globals: GlobalOptions): string[] {
  return [
    ...explainService(error),
    '',
    'THE PAYMENT MAY EXIST. Do not repeat this command before you have checked, with the same key and base URL:',
    ...formatCheck(error, globals).map((line) => `  ${line}`),
    `Requested: ${error.amount} ${error.from_currency} to ${error.to_currency}, sent at ${error.sentAt}.`,
  ];
}

function explainFailedReconciliation({ message, cause }: ReconciliationFailedError): string[] {
  return [
    `error: ${message}`,
    `cause: ${summarize(cause)}`,
    '',
    'THE PAYMENT MAY EXIST. Do not create it again. Reconcile again with the same key and base URL.',
  ];
}

function explainExisting({ id, message, cause }: PaymentExistsError, globals: GlobalOptions): string[] {
  return [
    `error: ${message}`,
    `cause: ${summarize(cause)}`,
    '',
    'THE PAYMENT EXISTS. Do not repeat this command. Retrieve the payment with the same key and base URL:',
    `  ${formatCommand(`payment get ${quoteForShell(id)}`, {}, globals)}`,
  ];
}

/** Formats the shell command that finds the payment, and a hint about its result. */
function formatCheck(error: PaymentOutcomeUnknownError, globals: GlobalOptions): string[] {
  const { paymentId, purpose, sentAt: since } = error;
  if (paymentId !== undefined) return [formatCommand(`payment get ${quoteForShell(paymentId)}`, {}, globals)];
  const args = [error.from_currency, error.to_currency, error.amount].map(quoteForShell).join(' ');
  const { name, account } = error.getBeneficiary() ?? {};
  const options = { since, purpose: purpose ?? undefined, name, account };
  const command = formatCommand(`payment reconcile ${args}`, options, globals);
  return purpose === null ? [command, HINT_WITHOUT_PURPOSE] : [command];
}

const HINT_WITHOUT_PURPOSE =
  'The payment has no purpose, so the command only lists payments of this amount. Compare their beneficiaries.';

function explainControl({ message, code, status, cause }: ControlError): string[] {
  const facts = status === undefined ? code : `${code}, HTTP ${status}`;
  return [`error: ${message} (${facts})`, ...(typeof cause === 'string' ? [`cause: ${cause}`] : [])];
}
