import type { Delivery } from '@service/mock';

type Attempt = Delivery['attempts'][number];

/** Lays out a delivery: what became of it, below that each attempt, and when the next one is due. */
export function toDeliveryLines({ attempts, next_at, fault, ...delivery }: Delivery): string[] {
  const { id, event, state, payment_id } = delivery;
  const facts = [id, event, state, payment_id];
  if (fault !== null) facts.push(`fault: ${fault}`);
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
