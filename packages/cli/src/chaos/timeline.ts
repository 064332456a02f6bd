import type { RequestView } from '@service/mock';
import type { ScenarioRun, TimelineEntry } from './run.ts';

/** Maximum number of lines of one timeline, and of characters of the text of one request or event. */
const MAX_LINES = 60;
const MAX_TEXT = 2_000;

/** Returns the triggers, requests and webhooks of a run in the order of their times. Equal ones in a row are counted. */
export function readTimeline(run: ScenarioRun): readonly TimelineEntry[] {
  const logged = run.context.service.mock.sandbox.requests.list();
  const reads = logged.filter(({ operation }) => operation !== 'createPayment');
  const requests = [...reads, ...run.creates()].map((request) => ({
    at: run.toRunTime(request.at),
    ...describeRequest(request),
  }));
  const webhooks = run.attempts.map(({ at, event, body, forgery, status }) => ({
    at,
    text: `webhook ${event}${forgery === undefined ? '' : ` with ${forgery}`}: ${status ?? 'no response'}`,
    detail: body,
  }));
  const during = [...requests, ...webhooks].filter(({ at }) => at >= run.startedOn && at <= run.endedAt);
  // Its notes can be later: those after a lease.
  const entries = [...run.notes, ...during].toSorted((one, other) => one.at - other.at);
  return shorten(entries).map((entry) => ({ ...entry, at: entry.at - run.startedOn }));
}

/** Describes a create with its texts, and a read with a placeholder in place of an id. */
function describeRequest(request: RequestView): Omit<TimelineEntry, 'at'> {
  const { operation, method, path, headers, body, effects, fault } = request;
  const response = typeof request.response === 'object' ? request.response : undefined;
  const answer = `${response?.status ?? 'no response'}${fault === null ? '' : ` (${fault.kind})`}`;
  if (operation !== 'createPayment')
    return { text: `${method} ${path.replace(/^\/api\/v1/, '').replace(/pay_\w+/, '{id}')}: ${answer}` };
  const payment = effects.payment_id === null ? 'no payment' : `payment ${effects.payment_id}`;
  const detail = [headers['idempotency-key'], body, response?.body].filter(Boolean).join('\n');
  return { text: `create: ${answer}, ${payment}`, detail };
}

/** Counts equal entries in a row, and leaves out those after the maximum. */
function shorten(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const counted: TimelineEntry[] = [];
  for (const entry of entries) {
    const last = counted.at(-1);
    if (last?.text === entry.text) counted[counted.length - 1] = { ...last, count: (last.count ?? 1) + 1 };
    else counted.push({ ...entry, detail: entry.detail?.slice(0, MAX_TEXT) });
  }
  const left = counted[MAX_LINES];
  if (left === undefined) return counted;
  return [...counted.slice(0, MAX_LINES), { at: left.at, text: `${counted.length - MAX_LINES} more` }];
}

/** Formats an entry with its time. */
export function formatEntry({ at, text, count = 1 }: TimelineEntry): string {
  const repeated = count === 1 ? '' : ` (${count} times)`;
  return `+${(at / 1_000).toFixed(2)} s  ${text}${repeated}`;
}
