import type { Delivery } from '@service/mock';

type Attempt = Delivery['attempts'][number];

/** Formats a delivery: its state, then a line per attempt, then the time of the next attempt. */
export function toDeliveryLines({ attempts, next_at, fault, ...delivery }: Delivery): string[] {
  const { id, event, state, payment_id } = delivery;
  const facts = [id, event, state, payment_id];
  if (fault !== null) facts.push(`fault: ${fault}`);
  const next = next_at === null ? [] : [`  ${toTime(next_at)}  due`];
  return [facts.join('  '), ...attempts.map((attempt) => `  ${toAttemptLine(attempt)}`), ...next];
}

function toAttemptLine({ at, url, result }: Attempt): string {
  const outcome =
    result.outcome === 'failed' ? `failed, ${result.reason}` : `${result.outcome}, HTTP ${result.httpStatus}`;
  return `${toTime(at)}  ${outcome}  ${url}`;
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
