import type { JSX } from 'preact';
import { formatInstant } from '../format.ts';
import { toHref } from '../router.ts';
import type { Attempt, Delivery } from '../types.ts';
import { Badge, Status } from '../ui.tsx';

/** Deliveries with their attempts. */
export function Deliveries({ deliveries }: { readonly deliveries: readonly Delivery[] }): JSX.Element {
  if (deliveries.length === 0) return <p class="muted">No delivery: the account has no endpoint.</p>;
  return (
    <ul class="plain lines" aria-label="Deliveries">
      {deliveries.map(({ id, event, state, attempts, fault }) => (
        <li key={id}>
          <a href={toHref('webhooks', id)}>{event}</a>
          <Status value={state} />
          {fault !== null && <Badge tone="warn">{fault}</Badge>}
          <span class="muted">{attempts.map(formatAttempt).join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}

/** Why an attempt has no response, in words. */
const reasons = {
  timeout: 'no response in time',
  network: 'connection failed',
  address: 'address not allowed',
  dropped: 'dropped by a fault',
};

/** Formats the result of an attempt: the status of the response, or why there is none. */
export function formatResult({ result }: Attempt): string {
  return result.outcome === 'failed' ? (result.detail ?? reasons[result.reason]) : String(result.httpStatus);
}

/** Formats the result of an attempt with its time. */
export function formatAttempt(attempt: Attempt): string {
  return `${formatResult(attempt)} at ${formatInstant(attempt.at).slice(11)}`;
}
