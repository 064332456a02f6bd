import type { Mode } from '@service/contract';
import { refuse } from '../errors/refuse.ts';
import { isRecord } from '../values/json.ts';
import { modeOfPaymentId } from '../values/payment-id.ts';

const paths = /^\/(?:balance|payments|quotes|transactions|payments\/(?<id>[^/]+))$/;

/** Puts the id into a path. @throws ValidationError (`not_sent`) for an id that is missing or would lead elsewhere. */
export function writePath(path: string, values: unknown): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    checkId(isRecord(values) ? values[name] : undefined),
  );
}

/**
 * Checks that a request goes to an operation of the service at the client's own address, and to a payment of the key's
 * own mode. It stands below everything that builds requests, so that the key goes nowhere else.
 *
 * @throws ValidationError (`not_sent`)
 */
export function checkTarget(address: string, baseUrl: string, mode: Mode): void {
  const { origin, pathname } = new URL(address);
  const full = origin + pathname;
  const match = full.startsWith(`${baseUrl}/`) && paths.exec(full.slice(baseUrl.length));
  if (!match) throw refuse('The request does not lead to an operation of the service.');
  if (match.groups?.id !== undefined) checkId(match.groups.id, mode);
}

/** Checks the id of a payment, and that it is of a mode. @throws ValidationError (`not_sent`) */
export function checkId(id: unknown, mode?: Mode): string {
  const found = modeOfPaymentId(id);
  if (found === undefined)
    throw refuse("A payment id has the form 'pay_test_…' or 'pay_live_…'; this is none.");
  if (mode !== undefined && found !== mode) {
    throw refuse(`The payment is of ${found} mode and the API key of ${mode} mode.`);
  }
  return String(id);
}
