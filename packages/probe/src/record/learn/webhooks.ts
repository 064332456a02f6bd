import { statuses as knownStatuses } from '@service/internal';
import { evaluateWebhooks } from '../../experiments/event-shapes.ts';
import { type Finding, found } from '../../finding.ts';
import type { RecordedWebhook } from '../../recorder.ts';
import { readEvent, type RecordedStatus } from './statuses.ts';
import type { Call, Traffic } from './traffic.ts';

/** Number of webhooks from which a template tells constant values from others. */
const MIN_SAMPLES = 2;

/** Learns the bodies, the headers and the events of webhooks. */
export function learnWebhooks({ webhooks: calls }: Traffic, statuses: readonly RecordedStatus[]): Finding[] {
  const events = calls.filter((call) => typeof readEvent(call).id === 'string');
  if (events.length < MIN_SAMPLES) return [];
  return [...evaluateWebhooks(events.map(toWebhook)), ...learnEvents(events, statuses)];
}

/** Returns an event as the recorder of the probe has it. A second delivery is another attempt. */
function toWebhook(call: Call, index: number, all: readonly Call[]): RecordedWebhook {
  const { id, status } = readEvent(call);
  const isSame = (other: Call): boolean => readEvent(other).id === id && readEvent(other).status === status;
  return {
    id: String(id),
    status: String(status),
    text: JSON.stringify(call.sent),
    headers: new Headers(call.exchange.request.headers),
    attempt: all.slice(0, index + 1).filter(isSame).length,
    at: call.start,
    responseStatus: call.response.status,
    copies: 0,
  };
}

/**
 * Determines the statuses that send a webhook. A status sends none if a later one of its payment did; the last status of a
 * payment can still be on its way.
 */
function learnEvents(events: readonly Call[], statuses: readonly RecordedStatus[]): Finding[] {
  const sent = events.map((call) => ({ ...readEvent(call), at: call.start }) as unknown as RecordedStatus);
  const sentStatuses = new Set(sent.map(({ status }) => status));
  const observed = new Set(statuses.map(({ status }) => status));
  const isSilent = (status: string): boolean =>
    statuses.some(
      (one) =>
        one.status === status &&
        statuses.some(
          (later) =>
            later.id === one.id &&
            later.at > one.at &&
            sent.some(
              (event) => event.id === later.id && event.status === later.status && later.status !== status,
            ),
        ),
    );
  const isDecided = [...observed].every((status) => sentStatuses.has(status) || isSilent(status));
  const isComplete = observed.has('completed') && observed.has('failed');
  const isKnown = [...sentStatuses].every((status) => knownStatuses.some((known) => known === status));
  if (!isDecided || !isComplete || !isKnown) return [];
  const evidence = `statuses: ${[...observed].join(', ')}; events: ${[...sentStatuses].join(', ')}`;
  return [
    found(
      'events',
      knownStatuses.filter((status) => sentStatuses.has(status)),
      evidence,
    ),
  ];
}
