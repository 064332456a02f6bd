import {
  isConfigurationError,
  isConnectionError,
  isPaymentOutcomeUnknownError,
  isServiceError,
  isValidationError,
  isWaitTimeoutError,
  type PaymentOutcomeUnknownError,
  type ServiceError,
} from '@service/sdk';
import { isWebhookError, SETUP_CODES, type WebhookError } from '@service/webhooks';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { GoalMissedError } from './listen/goal.ts';
import { findRoot } from './root-cause.ts';
import { LostOutputError } from './lost-output-error.ts';
import { PaymentExistsError } from './payment-exists-error.ts';
import { ControlError } from './sandbox/control-error.ts';
import { ReconciliationFailedError } from './reconciliation-failed-error.ts';
import { quote } from './shell.ts';
import { UsageError } from './usage-error.ts';

/** Holds what is told of an error: how the run ends, the document of `--json`, and the lines for a person. */
export type Failure = {
  readonly code: ExitCode;
  readonly document: { readonly error: object };
  readonly lines: readonly string[];
};

/** Tells an error: what happened, and where there is something to do, what. */
export function toFailure(error: unknown): Failure {
  if (isPaymentOutcomeUnknownError(error)) return describe(error, explainUnknown(error));
  if (isServiceError(error)) return describe(error, explainService(error).map(toCliWords));
  if (isWebhookError(error)) return describe(error, [`error: ${error.message} (${error.code})`]);
  if (error instanceof PaymentExistsError) return describe(error, explainExisting(error));
  if (error instanceof ControlError) return describe(error, explainControl(error));
  if (error instanceof ReconciliationFailedError) return describe(error, explainUnread(error));
  if (isPlain(error)) return describe(error, [`error: ${error.message}`]);
  const message = error instanceof Error ? error.message : String(error);
  return describe(new Error(message), [`internal error: ${message}`]);
}

/** Tells whether an error says all that there is to say. */
function isPlain(error: unknown): error is Error {
  return error instanceof UsageError || error instanceof LostOutputError || error instanceof GoalMissedError;
}

/** Tells an error in one line. */
export function summarize(error: unknown): string {
  return toFailure(error).lines.join(' ').replace('error: ', '');
}

function describe(error: Error, lines: readonly string[]): Failure {
  return { code: toExitCode(error), document: { error: toDocument(error) }, lines };
}

function toDocument(error: Error): object {
  if (isServiceError(error)) return { ...error.toJSON(), cause: causeOf(error) };
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
  return isWebhookError(error) ? { name, code: error.code, message } : { name, message };
}

function toExitCode(error: Error): ExitCode {
  if (error instanceof UsageError || isConfigurationError(error)) return exitCodes.usage;
  if (error instanceof ControlError) return error.isRefusal ? exitCodes.refused : exitCodes.unknown;
  if (isWebhookError(error)) return isSetup(error) ? exitCodes.usage : exitCodes.unverified;
  if (!isServiceError(error)) return exitCodes.unknown;
  if (error.outcome === 'rejected') return exitCodes.refused;
  return isValidationError(error) && error.outcome === 'not_sent' ? exitCodes.usage : exitCodes.unknown;
}

function isSetup({ code }: WebhookError): boolean {
  return SETUP_CODES.some((setup) => setup === code);
}

function explainService(error: ServiceError): string[] {
  const facts = [error.type, error.status && `HTTP ${error.status}`, error.requestId].filter(Boolean);
  const details = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  const cause = causeOf(error);
  const fields = (error.fields ?? []).map(
    ({ field, message }) => `  ${field === '' ? '' : `${field}: `}${message}`,
  );
  return [
    `error: ${error.message}${details}`,
    ...fields,
    ...(cause === undefined ? [] : [`cause: ${cause}`]),
  ];
}

/** Names the options of the client as the command line does. */
function toCliWords(line: string): string {
  return line.replace('allowInsecureHttp: true', '--allow-insecure-http').replace('baseUrl', '--base-url');
}

function causeOf(error: ServiceError): string | undefined {
  if (isPaymentOutcomeUnknownError(error) || isWaitTimeoutError(error)) {
    return isServiceError(error.cause) ? (causeOf(error.cause) ?? error.cause.message) : undefined;
  }
  return isConnectionError(error) ? findRoot(error.cause) : undefined;
}

function explainUnknown(error: PaymentOutcomeUnknownError): string[] {
  return [
    ...explainService(error),
    '',
    'THE PAYMENT MAY EXIST. Do not repeat this command before you have checked, with the same key and base URL:',
    ...toCheck(error).map((line) => `  ${line}`),
    `Asked for: ${error.amount} ${error.from_currency} to ${error.to_currency}, sent at ${error.sentAt}.`,
  ];
}

function explainUnread({ message, cause }: ReconciliationFailedError): string[] {
  return [
    `error: ${message}`,
    `cause: ${summarize(cause)}`,
    '',
    'THE PAYMENT MAY EXIST. Do not create it again; look once more, with the same key and base URL.',
  ];
}

function explainExisting({ id, message, cause }: PaymentExistsError): string[] {
  return [
    `error: ${message}`,
    `cause: ${summarize(cause)}`,
    '',
    'THE PAYMENT EXISTS. Do not repeat this command; look at the payment, with the same key and base URL:',
    `  service-cli payment get ${id}`,
  ];
}

/** Writes the command that looks for a payment, to be pasted into a shell, and what to know of its answer. */
function toCheck(error: PaymentOutcomeUnknownError): string[] {
  const { salvagedId, purpose, sentAt } = error;
  if (salvagedId !== undefined) return [`service-cli payment get ${salvagedId}`];
  const asked = [error.from_currency, error.to_currency, error.amount].map(quote).join(' ');
  const look = `service-cli payment reconcile ${asked} --since ${quote(sentAt)}`;
  // As one word with its option, since a purpose may look like an option itself.
  const command = purpose === null ? look : `${look} --purpose=${quote(purpose)}`;
  return [command, purpose === null ? withoutPurpose : withBeneficiary];
}

const withBeneficiary =
  'Add --name and --account as they were given to pay: without the beneficiary, a match is only listed.';
const withoutPurpose =
  'It was sent without a purpose, so payments of this amount are only listed: compare their beneficiaries.';

function explainControl({ message, code, status, cause }: ControlError): string[] {
  const facts = status === undefined ? code : `${code}, HTTP ${status}`;
  return [`error: ${message} (${facts})`, ...(typeof cause === 'string' ? [`cause: ${cause}`] : [])];
}
