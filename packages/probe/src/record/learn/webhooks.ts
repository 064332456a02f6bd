import { type JsonObject, statuses as knownStatuses } from '@service/internal';
import { evaluateEvents } from '../../experiments/event-shapes.ts';
import { type Finding, found } from '../../finding.ts';
import { learnTemplate } from '../../templates/learn.ts';
import { readEvent, type RecordedStatus } from './statuses.ts';
import type { Call, Traffic } from './traffic.ts';

/** Number of webhooks from which a template tells constant values from others. */
const MIN_SAMPLES = 2;

/** Learns the bodies, the headers and the events of webhooks. */
export function learnWebhooks({ webhooks }: Traffic, statuses: readonly RecordedStatus[]): Finding[] {
  const events = webhooks.filter((call) => typeof readEvent(call).id === 'string');
  if (events.length < MIN_SAMPLES) return [];
  return [
    evaluateEvents(events.map(({ sent }) => sent)),
    ...learnEventHeaders(events),
    ...learnEvents(events, statuses),
  ];
}

/** Headers of HTTP, of the documented signature, and of tunnels between the service and this machine. */
const ignored =
  /^(?:host|connection|keep-alive|content-.*|transfer-encoding|accept.*|user-agent|date|x-service-signature|via|forwarded|x-forwarded-.*|x-real-ip|x-request-id|traceparent|tracestate|cf-.*|cdn-.*|ngrok-.*|priority)$/;

function learnEventHeaders(events: readonly Call[]): Finding[] {
  const [first, ...others] = events.map(({ exchange }) => exchange.request.headers);
  const names = Object.keys(first ?? {}).filter(
    (name) => !ignored.test(name) && others.every((headers) => name in headers),
  );
  if (names.length === 0) return [];
  const learned = names.map((name) => {
    const samples = events.map((call) => ({
      json: call.exchange.request.headers[name],
      known: readHeaderValues(readEvent(call)),
    }));
    const { template, unexplained } = learnTemplate(samples, { numbers: 'number' });
    return [
      name,
      unexplained.length === 0 && typeof template === 'string' ? template : '{delivery}',
    ] as const;
  });
  return [found('eventHeaders', Object.fromEntries(learned), `headers: ${names.join(', ')}`)];
}

function readHeaderValues({ id, status }: JsonObject): Parameters<typeof learnTemplate>[0][number]['known'] {
  return {
    id: { kind: 'text', text: String(id) },
    status: { kind: 'text', text: String(status) },
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
