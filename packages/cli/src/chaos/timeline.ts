import type { RequestView } from '@service/mock';
import type { ScenarioRun, TimelineEntry } from './run.ts';

/** Maximum number of lines of one timeline. */
const MAX_LINES = 60;

/** What happened in a run. */
export interface History {
  readonly timeline: readonly TimelineEntry[];
  /** The creates and events, and the output. */
  readonly exchanges: readonly Exchange[];
  /** The time of its start, on the clock of the run. */
  readonly startedOn: number;
}

export async function readHistory(run: ScenarioRun): Promise<History> {
  const { startedOn } = run;
  return { timeline: readTimeline(run), exchanges: await readExchanges(run), startedOn };
}

/** Returns the triggers, requests and webhooks of a run in the order of their times. Equal ones in a row are counted. */
function readTimeline(run: ScenarioRun): readonly TimelineEntry[] {
  const { service } = run.context;
  const { requests } = service.mock.sandbox;
  const reads = requests
    .list({ since: run.startedAt })
    .filter(({ operation }) => operation !== 'createPayment')
    .map((request) => ({
      at: run.toRunTime(request.at),
      text: `${request.method} ${toPath(request)}: ${toAnswer(request)}`,
    }));
  const creates = run.creates().map((create) => {
    const { payment_id } = create.effects;
    const payment = payment_id === null ? 'no payment' : `payment ${payment_id}`;
    return { at: run.toRunTime(create.at), text: `create: ${toAnswer(create)}, ${payment}` };
  });
  const webhooks = service.attempts.map(({ at, event, forgery, status }) => ({
    at,
    text: `webhook ${event}${forgery === undefined ? '' : ` with ${forgery}`}: ${status ?? 'no response'}`,
  }));
  const during = [...reads, ...creates, ...webhooks].filter(
    ({ at }) => at >= run.startedOn && at <= run.endedAt,
  );
  // Its notes can be later: those after a lease.
  const entries = [...run.notes, ...during].toSorted((one, other) => one.at - other.at);
  return limit(countEqual(entries));
}

/** A request or an event, with its text and the response. */
interface Exchange {
  readonly title: string;
  readonly sent: string;
  readonly received: string;
}

/** Maximum number of creates and of events of one run, and of characters of each text. */
const MAX_EXCHANGES = 8;
const MAX_TEXT = 1_000;

/** Returns the creates and events of a run. */
async function readExchanges(run: ScenarioRun): Promise<readonly Exchange[]> {
  const creates = run
    .creates()
    .slice(0, MAX_EXCHANGES)
    .map((create) => ({
      title: `create: ${toAnswer(create)}`,
      sent: shorten([create.headers['idempotency-key'], create.body].filter(Boolean).join('\n')),
      received: shorten(typeof create.response === 'object' ? (create.response?.body ?? '') : ''),
    }));
  const deliveries = (await run.readAll()).flatMap((records) => records.deliveries);
  const events = deliveries.slice(0, MAX_EXCHANGES).map(({ event, body, state }) => ({
    title: `webhook ${event}: ${state}`,
    sent: shorten(body),
    received: '',
  }));
  const output = { title: 'output', sent: shorten(run.output), received: '' };
  return [...creates, ...events, output];
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}

/** Returns the path of a read, with a placeholder in place of an id. */
function toPath({ path }: RequestView): string {
  return path.replace(/^\/api\/v1/, '').replace(/pay_\w+/, '{id}');
}

function toAnswer({ response, fault }: RequestView): string {
  const answer = response === null || response === 'connection_lost' ? 'no response' : response.status;
  return fault === null ? `${answer}` : `${answer} (${fault.kind})`;
}

function countEqual(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const counted: TimelineEntry[] = [];
  for (const entry of entries) {
    const last = counted.at(-1);
    if (last?.text === entry.text) counted[counted.length - 1] = { ...last, count: (last.count ?? 1) + 1 };
    else counted.push(entry);
  }
  return counted;
}

function limit(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const left = entries[MAX_LINES];
  if (left === undefined) return entries;
  const text = `${entries.length - MAX_LINES} more`;
  return [...entries.slice(0, MAX_LINES), { at: left.at, text }];
}

/** Formats an entry with its time after the start. */
export function formatEntry({ at, text, count = 1 }: TimelineEntry, startedOn: number): string {
  const repeated = count === 1 ? '' : ` (${count} times)`;
  return `+${((at - startedOn) / 1_000).toFixed(2)} s  ${text}${repeated}`;
}
