import { modes } from '@service/contract';
import { createTurns, type TakeTurn } from '@service/internal';
import { deliveryStates } from '../domain/delivery.ts';
import { statuses } from '../domain/status.ts';
import type { RequestLog } from '../state/request-log.ts';
import type { State } from '../state/state.ts';
import type { Context } from './context.ts';

/** The metrics that are not part of the state. A reset of the sandbox keeps them. */
export interface ProcessMetrics {
  /** The number of responses by operation and status, separated by a space. */
  readonly responses: Map<string, number>;
  /** The delays of the event loop since the last reading, from the first reading on. */
  eventLoop?: DelayHistogram;
}

type DelayHistogram = ReturnType<(typeof import('node:perf_hooks'))['monitorEventLoopDelay']>;

/** Counts the responses of a request log from now on. */
export function countResponses(requestLog: RequestLog): ProcessMetrics {
  const responses = new Map<string, number>();
  requestLog.watch(({ operation, response }) => {
    const status = response === null || response === 'connection_lost' ? response : response.status;
    increment(responses, `${operation ?? 'none'} ${status}`);
  });
  return { responses };
}

type Labels = Readonly<Record<string, string>>;

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly (readonly [labels: Labels, value: number])[];
}

/** The number of accounts, payments and deliveries that are counted without a turn of the event loop. So many take less than a millisecond. */
const MIN_ITEMS = 1000;

/** Returns the metrics of a sandbox and its process in the text format of Prometheus. */
export async function readMetrics(parts: Context): Promise<string> {
  const metrics = [
    ...readRequests(parts),
    ...(await readState(parts)),
    ...readData(parts),
    ...readProcess(parts),
  ];
  return metrics.flatMap(formatMetric).join('');
}

function readRequests({ metrics, requestLog, deliveries }: Context): Metric[] {
  const responses = split(metrics?.responses ?? new Map(), ['operation', 'status']);
  const logged = requestLog.list();
  const running = logged.filter(({ response }) => response === null).length;
  return [
    counter('sandbox_requests_total', 'Responses of the service.', responses),
    gauge('sandbox_requests_running', 'Logged requests without a response.', running),
    gauge('sandbox_logged_requests', 'Requests in the request log.', logged.length),
    counter('sandbox_dropped_requests_total', 'Requests dropped from the log.', requestLog.dropped()),
    gauge(
      'sandbox_attempts_pending',
      'Delivery attempts that run or wait for a slot.',
      deliveries.countPending(),
    ),
  ];
}

async function readState({ state }: Context): Promise<Metric[]> {
  const { accounts, openAccounts } = state;
  const { payments, deliveries, transitions, attempts } = await countItems(state);
  const opened = openAccounts.usedAt.size;
  return [
    gauge('sandbox_accounts', 'Stored accounts, by how they were created.', [
      [{ created_by: 'key' }, opened],
      [{ created_by: 'control' }, accounts.size - opened],
    ]),
    counter('sandbox_removed_accounts_total', 'Open accounts that were removed.', openAccounts.removals),
    gauge('sandbox_payments', 'Payments.', split(payments, ['mode', 'status'])),
    gauge('sandbox_deliveries', 'Webhook deliveries.', split(deliveries, ['state'])),
    gauge('sandbox_transitions_scheduled', 'Automatic transitions to come.', transitions),
    gauge('sandbox_attempts_scheduled', 'Delivery attempts to come on the clock.', attempts),
  ];
}

interface ItemCounts {
  /** By mode and status. */
  readonly payments: Map<string, number>;
  /** By state. */
  readonly deliveries: Map<string, number>;
  /** The number of payments with an automatic transition to come. */
  transitions: number;
  /** The number of deliveries with an attempt to come. */
  attempts: number;
}

/** Counts payments and deliveries. Gives the event loop turns, also during a large account. */
async function countItems(state: State, takeTurn: TakeTurn = createTurns(MIN_ITEMS)): Promise<ItemCounts> {
  const counts: ItemCounts = {
    payments: new Map(modes.flatMap((mode) => statuses.map((status) => [`${mode} ${status}`, 0]))),
    deliveries: new Map(deliveryStates.map((each) => [each, 0])),
    transitions: 0,
    attempts: 0,
  };
  const steps = addItems(counts, state);
  while (steps.next().done !== true) {
    const turn = takeTurn();
    if (turn !== undefined) await turn;
  }
  return counts;
}

/** Adds the items of all accounts, one in each step. */
function* addItems(counts: ItemCounts, { accounts }: State): Generator<void> {
  for (const { byMode } of accounts.values()) {
    yield;
    for (const mode of modes) {
      const { payments, deliveries } = byMode[mode];
      for (const { status, next } of payments.values()) {
        increment(counts.payments, `${mode} ${status}`);
        if (next !== null) counts.transitions += 1;
        yield;
      }
      for (const { state, next_at } of deliveries.values()) {
        increment(counts.deliveries, state);
        if (next_at !== null) counts.attempts += 1;
        yield;
      }
    }
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Converts counts by words to samples with a label for each word. */
function split(counts: ReadonlyMap<string, number>, labels: readonly string[]): Metric['samples'] {
  return [...counts].map(([key, count]) => {
    const words = key.split(' ');
    return [Object.fromEntries(labels.map((label, index) => [label, words[index] ?? ''])), count];
  });
}

function readData({ state }: Context): Metric[] {
  const { recorder } = state.durability;
  if (recorder === undefined) return [];
  const age = (performance.now() - recorder.writtenAt) / 1000;
  const failing = recorder.failure === undefined ? 0 : 1;
  return [
    gauge('sandbox_data_write_age_seconds', 'Time since the last durable write.', age),
    gauge('sandbox_data_failing', 'Whether changes cannot be stored at present.', failing),
  ];
}

/** The time between two samples of the event loop, in milliseconds. A sample includes it. */
const RESOLUTION = 10;

/** Reads the process under the names that other Node exporters use. */
function readProcess({ metrics }: Context): Metric[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    gauge('process_resident_memory_bytes', 'Resident memory.', rss),
    gauge('nodejs_heap_size_used_bytes', 'Used heap.', heapUsed),
    counter('process_cpu_seconds_total', 'Processor time.', (user + system) / 1e6),
    gauge('process_start_time_seconds', 'Start, in seconds since 1970.', performance.timeOrigin / 1000),
    ...(metrics === undefined ? [] : readEventLoop(metrics)),
  ];
}

function toSeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION / 1000);
}

/** Reads the delays of the event loop since the last reading. There are none at the first one. */
function readEventLoop(metrics: ProcessMetrics): Metric[] {
  const { eventLoop } = metrics;
  if (eventLoop === undefined) {
    const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
    metrics.eventLoop = monitorEventLoopDelay({ resolution: RESOLUTION });
    metrics.eventLoop.enable();
    return [];
  }
  if (eventLoop.count === 0) return [];
  const lags = {
    mean: eventLoop.mean,
    p50: eventLoop.percentile(50),
    p99: eventLoop.percentile(99),
    max: eventLoop.max,
  };
  eventLoop.reset();
  return Object.entries(lags).map(([name, nanoseconds]) => {
    const help = `Delay of the event loop since the last reading, ${name}.`;
    return gauge(`nodejs_eventloop_lag_${name}_seconds`, help, toSeconds(nanoseconds));
  });
}

function counter(name: string, help: string, value: number | Metric['samples']): Metric {
  return { ...gauge(name, help, value), type: 'counter' };
}

function gauge(name: string, help: string, value: number | Metric['samples']): Metric {
  return { name, help, type: 'gauge', samples: typeof value === 'number' ? [[{}, value]] : value };
}

/** Formats a metric. The values of labels are names of this package, which need no escapes. */
function formatMetric({ name, help, type, samples }: Metric): string[] {
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return [`# HELP ${name} ${help}\n`, `# TYPE ${name} ${type}\n`, ...lines];
}
