import { type Finding, unknown } from '../finding.ts';
import { documented } from './statuses.ts';
import type { WatchedPayment } from './watch.ts';

const ADVICE =
  'other amounts, names or accounts can have one: watch such a payment, and set `extraStatuses` in the profile';

/**
 * Reports the statuses that the document does not have, with their place and the number of payments. The payments of the
 * probe do not prove which other ones pass through them.
 */
export function evaluateExtraStatuses(watched: readonly WatchedPayment[]): Finding {
  const names = new Set(watched.flatMap(({ statuses }) => statuses.filter((name) => !documented.has(name))));
  const seen = [...names].map((name) => {
    const having = watched.filter(({ statuses }) => statuses.includes(name));
    const before = new Set(
      having.map(({ statuses }) => statuses[statuses.indexOf(name) - 1] ?? 'the create'),
    );
    return `${name} after ${[...before].join(' or ')} in ${having.length} of ${watched.length} payments`;
  });
  const observed = seen.join(', ') || `no other status in ${watched.length} payments`;
  return unknown('extraStatuses', `${observed}; ${ADVICE}`);
}
