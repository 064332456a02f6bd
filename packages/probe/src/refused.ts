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

/** Returns whether a refusal is like the others: their status, fields and texts but for numbers and ids. */
export function isSameRefusal(response: RawResponse, others: readonly RawResponse[]): boolean {
  const [first, ...more] = others.map(listParts);
  if (first === undefined) return false;
  const shared = [...first].filter(([path, value]) => more.every((each) => each.get(path) === value));
  const parts = listParts(response);
  return parts.size === first.size && shared.every(([path, value]) => parts.get(path) === value);
}

/** Names of fields that differ from one response to the next. */
const ofResponse = /(?:id|trace|path|instance|time|timestamp|at|date)$/i;

/** Returns the values of a refusal by their path, without those that every response has its own of. */
function listParts({ status, body, text }: RawResponse): ReadonlyMap<string, unknown> {
  const leaves = listLeaves(body ?? text).filter(([path]) => !ofResponse.test(path));
  const parts = leaves.map(([path, value]) => {
    const isAmount = typeof value === 'number' && !/code|status/i.test(path);
    const shown =
      typeof value === 'string' ? value.replaceAll(/\b[\w-]*\d[\w.,:-]*/g, '#') : isAmount ? '#' : value;
    return [path, shown] as const;
  });
  return new Map<string, unknown>([['status', status], ...parts]);
}

/** Returns the values of JSON that are no objects, with their paths such as `data.items.0.id`. */
export function listLeaves(json: unknown, path = ''): (readonly [path: string, value: unknown])[] {
  if (typeof json !== 'object' || json === null) return [[path, json]];
  const entries = Object.entries(json);
  if (entries.length === 0) return [[path, json]];
  return entries.flatMap(([name, value]) => listLeaves(value, path === '' ? name : `${path}.${name}`));
}
