// Comparison of refusals.
import type { Call } from './call.ts';
import type { RawResponse } from './response.ts';
import type { Seen } from './seen.ts';

/** Returns whether a payment was refused as those that need more than the balance. */
export function isLackingFunds({ response }: Call, seen: Seen): boolean {
  const lacking = seen.of('refusals.insufficient_funds').map((call) => call.response);
  return response.status >= 400 && isSameRefusal(response, lacking);
}

/** Returns whether the form of a request was accepted: a payment above the balance is refused for lack of funds. */
export const isFormAccepted = (call: Call, seen: Seen): boolean =>
  call.response.accepted || isLackingFunds(call, seen);

/** Returns whether a refusal is like one of the others but for amounts, ids and times. */
export const isSameRefusal = (response: RawResponse, others: readonly RawResponse[]): boolean =>
  others.some((one) => one.status === response.status && toPattern(one) === toPattern(response));

/** Returns the text of a response without the values that differ from one to the next. */
const toPattern = ({ text }: RawResponse): string =>
  text
    .replaceAll(/("[^"]*(?:id|trace|instance|time|at)":)"[^"]*"/gi, '$1')
    .replaceAll(/[\w-]*\d[\w.,:-]*/g, '#');

/** Returns the values of JSON that are no objects, with their paths such as `data.items.0.id`. */
export function listLeaves(json: unknown, path = ''): (readonly [path: string, value: unknown])[] {
  const entries = typeof json === 'object' && json !== null ? Object.entries(json) : [];
  if (entries.length === 0) return [[path, json]];
  return entries.flatMap(([name, value]) => listLeaves(value, path === '' ? name : `${path}.${name}`));
}
