import type { Delivery } from '@service/mock';

type Attempt = Delivery['attempts'][number];

/** Lays out a delivery: what became of it, below that each attempt, and when the next one is due. */
export function toDeliveryLines({ attempts, next_at, fault: disturbed, ...delivery }: Delivery): string[] {
  const { id, status, state, payment_id } = delivery;
  const facts = [id, `payment.${status}`, state, payment_id];
  if (disturbed !== null) facts.push(`disturbed: ${disturbed}`);
  const next = next_at === null ? [] : [`  ${toTime(next_at)}  due`];
  return [facts.join('  '), ...attempts.map((attempt) => `  ${toAttemptLine(attempt)}`), ...next];
}

/** Writes an attempt in a line: when, how it ended, and where it went. */
function toAttemptLine({ at, url, result }: Attempt): string {
  const how =
    result.outcome === 'failed' ? `failed, ${result.reason}` : `${result.outcome}, HTTP ${result.httpStatus}`;
  return `${toTime(at)}  ${how}  ${url}`;
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
