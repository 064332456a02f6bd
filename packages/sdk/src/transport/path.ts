import type { Mode } from '@service/contract';
import { createValidationError } from '../errors/validation-error.ts';
import { isRecord } from '@service/internal';
import { modeOfPaymentId } from '../values/payment-id.ts';

const operationPath = /^\/(?:balance|payments|quotes|transactions|payments\/(?<id>[^/]+))$/;

/**
 * Replaces the placeholders of a path by ids.
 *
 * @throws {ValidationError} when an id is missing or is not a payment id.
 */
export function writePath(path: string, values: unknown): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    checkId(isRecord(values) ? values[name] : undefined),
  );
}

/**
 * Checks that a URL is an operation at the base URL of the client, for a payment in the mode of the API key.
 * Called after all code that builds requests, so that the API key is sent to no other URL.
 *
 * @throws {ValidationError} when the URL is not an operation, or its payment has another mode.
 */
export function checkTarget(address: string, baseUrl: string, mode: Mode): void {
  const { origin, pathname } = new URL(address);
  const full = origin + pathname;
  const match = full.startsWith(`${baseUrl}/`) && operationPath.exec(full.slice(baseUrl.length));
  if (!match) throw createValidationError('The URL of the request is not an operation of the service.');
  if (match.groups?.id !== undefined) checkId(match.groups.id, mode);
}

/**
 * Checks the form of a payment id and, if given, its mode.
 *
 * @throws {ValidationError} when the form or the mode is wrong.
 */
export function checkId(id: unknown, mode?: Mode): string {
  const found = modeOfPaymentId(id);
  if (found === undefined)
    throw createValidationError("A payment id must have the form 'pay_test_…' or 'pay_live_…'.");
  if (mode !== undefined && found !== mode) {
    throw createValidationError(`The payment is in ${found} mode, but the API key is in ${mode} mode.`);
  }
  return String(id);
}
