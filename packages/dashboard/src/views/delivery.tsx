import type { JSX } from 'preact';
import { formatTime, toWords } from '../format.ts';
import { toHref } from '../router.ts';
import type { Delivery } from '../types.ts';
import { Badge, Status } from '../ui.tsx';

type Attempt = Delivery['attempts'][number];

/** Deliveries with a line for each attempt. */
export function Attempts({ deliveries }: { readonly deliveries: readonly Delivery[] }): JSX.Element {
  if (deliveries.length === 0) return <p class="muted">No delivery: the account has no endpoint.</p>;
  return (
    <table>
      <caption>Deliveries</caption>
      <thead>
        <tr>
          <th>Event</th>
          <th>State</th>
          <th>Attempts</th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map(({ id, event, state, attempts, fault }) => (
          <tr key={id}>
            <td>
              <a href={toHref('webhooks', id)}>{event}</a>{' '}
              {fault !== null && <Badge tone="warn">{fault}</Badge>}
            </td>
            <td>
              <Status value={state} />
            </td>
            <td>{attempts.map(formatAttempt).join(', ') || 'none yet'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Formats the result of an attempt with its time. */
export function formatAttempt({ at, result }: Attempt): string {
  const outcome = result.outcome === 'failed' ? toWords(result.reason) : String(result.httpStatus);
  return `${outcome} at ${formatTime(new Date(at).toISOString()).slice(11)}`;
}
