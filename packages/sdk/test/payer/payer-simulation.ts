import { createRandom } from '../../../../test/support/random.ts';
import { assembleClient } from '../../src/client.ts';
import { createPayer, type Intent, type IntentStore, type Payer } from '../../src/entries/payer.ts';
import type { PaymentInput } from '../../src/index.ts';
import type { Clock } from '../../src/transport/deadline.ts';
import { createManualClock } from '../manual-clock.ts';
import { onRequest } from '../../../../test/support/on-request.ts';

/** The behavior of the simulated service for a repeated key. */
export type Idempotency = 'replayed' | 'conflict' | 'ignored';

/** One simulated batch. */
export interface SimulationOptions {
  readonly seed: number;
  readonly idempotency: Idempotency;
  readonly store: IntentStore;
  /** How the workers pay the batch. `pay` plans nothing before and pays all references at once. */
  readonly call?: 'run' | 'pay' | undefined;
  /** The number of runs before the last ones, which have no faults. */
  readonly runs: number;
  /** The probability of each fault of the network and of the store. */
  readonly faults: number;
  /** The probability that a run is killed or suspended. */
  readonly stops: number;
  /** Kills the first run before or after this step, a write or a request. */
  readonly killAt?: { readonly step: number; readonly when: 'before' | 'after' } | undefined;
  readonly lines?: number | undefined;
}

/** The payments and intents after a batch. */
export interface SimulationResult {
  readonly intents: readonly Intent[];
  /** The number of payments per reference. */
  readonly made: ReadonlyMap<string, number>;
  /** The intents with the payment of another line. */
  readonly wrong: readonly string[];
  /** The number of steps of the first run. */
  readonly steps: number;
}

interface Made {
  readonly id: string;
  readonly key: string;
  readonly body: Record<string, unknown>;
  readonly at: number;
}

const LEASE = 60_000;
const TIMEOUT = 30_000;
const RETENTION = 30 * 86_400_000;
const account = { apiKey: 'service_test_1', baseUrl: 'http://localhost:1/api/v1' };

/** A promise that never settles: the rest of a process that was killed. */
const never = new Promise<never>(() => {});

/** Pays a batch of similar lines with workers that are killed and suspended, over a network and a store with faults. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, idempotency, store, call = 'run', runs, stops, killAt, lines = 6 } = options;
  const random = createRandom(seed);
  let { faults } = options;
  const manual = createManualClock();
  let unique = 0;
  const clock: Clock = { ...manual, random, unique: () => `unique-${seed}-${(unique += 1)}` };
  const echo = (['complete', 'cut', 'nameOnly'] as const)[seed % 3] ?? 'complete';
  const service = createService({ idempotency, echo, clock, random, getFaults: () => faults });
  let firstSteps = 0;
  /** The references by the keys of their creates. */
  const owners = new Map<string, string>();

  const createWorker = (stop: Stop): Payer => {
    const step = createSteps(
      stop,
      () => manual.now(),
      (count) => (firstSteps = Math.max(firstSteps, count)),
    );
    const fetch = async (request: Request): Promise<Response> => {
      await step('before', true);
      const response = await service.fetch(request);
      await step('after', true);
      return response;
    };
    const client = assembleClient(
      {
        ...account,
        fetch: onRequest(fetch),
        timeout: TIMEOUT,
        maxRetries: 0,
        keyRetention: idempotency === 'replayed' ? RETENTION : undefined,
        onWarning: () => {},
      },
      clock,
    );
    return createPayer(client, {
      store: wrapStore(store, { step, random, clock, owners, getFaults: () => faults }),
      lease: LEASE,
      clockSkew: 1_000,
    });
  };
  const drive = async (work: Promise<unknown>, limit = Infinity): Promise<void> => {
    const state = { isDone: false };
    const end = work.catch(() => {}).then(() => (state.isDone = true));
    for (let rounds = 0; !state.isDone && rounds < limit; rounds += 1) await manual.advance(500);
    if (limit === Infinity) await end;
  };
  const batch = createBodies(createRandom(-seed), lines).map(
    (body, index) => [`line-${index}`, body] as const,
  );
  const run = async (payer: Payer): Promise<void> => {
    // A reference with an unknown outcome rejects, also without faults.
    if (call === 'pay') await Promise.allSettled(batch.map((line) => payer.pay(...line)));
    else for await (const _ of payer.run());
  };

  const planner = createWorker({});
  faults = 0;
  if (call === 'run') for (const line of batch) await planner.plan(...line);
  ({ faults } = options);

  for (let index = 0; index < runs; index += 1) {
    const stop = index === 0 && killAt ? killAt : chooseStop(random, stops);
    const work = run(createWorker(stop));
    // A killed or suspended run does not end, and the next one starts beside it.
    await drive(work, random() < 0.5 ? 20 : 200);
    if (stops > 0 && random() < 0.3)
      await decideByPerson(createWorker({}), { store, service, random, drive });
    manual.suspend(Math.floor(random() * 2 * LEASE));
  }
  // Requests and suspended workers end, and two runs without faults follow.
  faults = 0;
  await manual.advance(10 * LEASE);
  for (let index = 0; index < 2; index += 1) {
    const work = run(createWorker({}));
    await drive(work);
    // Without faults, no run fails.
    await work;
    manual.suspend(10 * LEASE);
    await manual.advance(1_000);
  }
  return collect({ store, owners, payments: service.made, steps: firstSteps });
}

/** The variants of each field of similar lines. A service that cuts names makes the first two names equal. */
const variants = {
  amount: ['100.00', '100.01'],
  beneficiary_name: ['Alder Limited', 'Alder Limited Branch', 'Birch Ltd'],
  beneficiary_account: ['DE89370400440532013000', 'DE89370400440532013001'],
  purpose: ['Rent November', 'Rent December'],
} as const;

/** The length to which some services cut names. */
const SHORT_NAME = 13;

/** Creates similar lines, some of them equal. Each field differs in half of all batches. */
function createBodies(random: () => number, count: number): readonly PaymentInput[] {
  const pick = (values: readonly string[]): string => values[Math.floor(random() * values.length)] ?? '';
  const fields = Object.entries(variants).map(([name, all]): [string, readonly string[]] => [
    name,
    random() < 0.5 ? all : [pick(all)],
  ]);
  return Array.from({ length: count }, () => {
    const line = Object.fromEntries(fields.map(([name, values]) => [name, pick(values)]));
    return { from_currency: 'USD', to_currency: 'EUR', ...line } as PaymentInput;
  });
}

/** The form in which a service returns beneficiaries: complete, with cut names, or without accounts. */
type Echo = 'complete' | 'cut' | 'nameOnly';

async function collect({
  store,
  owners,
  payments,
  steps,
}: {
  readonly store: IntentStore;
  readonly owners: ReadonlyMap<string, string>;
  readonly payments: readonly Made[];
  readonly steps: number;
}): Promise<SimulationResult> {
  const intents = await store.list({});
  const made = new Map<string, number>();
  const wrong: string[] = [];
  for (const { reference, paymentId } of intents) {
    const own = payments.filter(({ key }) => owners.get(key) === reference);
    made.set(reference, own.length);
    if (paymentId !== undefined && own.every(({ id }) => id !== paymentId))
      wrong.push(`${reference} has ${paymentId}`);
  }
  return { intents, made, wrong, steps };
}

/** The point at which a worker is killed or suspended. */
interface Stop {
  readonly step?: number;
  readonly when?: 'before' | 'after';
  /** The time of a suspension in milliseconds. Undefined for a kill. */
  readonly suspended?: number;
}

function chooseStop(random: () => number, stops: number): Stop {
  if (random() >= stops) return {};
  const stop = { step: 1 + Math.floor(random() * 30), when: random() < 0.5 ? 'before' : 'after' } as const;
  return random() < 0.4 ? { ...stop, suspended: Math.floor(random() * 4 * LEASE) } : stop;
}

type Step = (when: 'before' | 'after', isRequest?: boolean) => Promise<void>;

/** Counts the writes and requests of a worker, and stops it at one of them. */
function createSteps(stop: Stop, now: () => number, onStep: (count: number) => void): Step {
  let count = 0;
  let isKilled = false;
  let resumesAt = 0;
  return async (when, isRequest = false) => {
    if (isKilled) return never;
    if (when === 'before') onStep((count += 1));
    if (count === stop.step && when === stop.when) {
      if (stop.suspended === undefined) isKilled = true;
      // The client checks the lease synchronously before a request, so no suspension fits in between.
      else if (!isRequest || when === 'after') resumesAt = now() + stop.suspended;
    }
    if (isKilled) return never;
    // A request has left before the suspension: its lease was checked just before.
    if (isRequest && when === 'before') return undefined;
    // All later steps of a suspended worker wait too.
    while (now() < resumesAt) await new Promise((resolve) => setImmediate(resolve));
    return undefined;
  };
}

interface FaultContext {
  readonly random: () => number;
  readonly clock: Clock;
  readonly getFaults: () => number;
}

/** A store over a network with faults: writes fail before or after they are applied, are applied late or twice, and reads are stale. */
function wrapStore(
  store: IntentStore,
  {
    step,
    random,
    clock,
    owners,
    getFaults,
  }: FaultContext & { readonly step: Step; readonly owners: Map<string, string> },
): IntentStore {
  const previous = new Map<string, Intent | undefined>();
  return {
    ...store,
    // HMACs of Web Crypto respond from another thread.
    fingerprintKey: undefined,
    read: async (reference) => {
      const intent = await store.read(reference);
      const stale = previous.get(reference);
      previous.set(reference, intent);
      return random() < getFaults() ? (stale ?? intent) : intent;
    },
    swap: async (next, write) => {
      owners.set(next.key, next.reference);
      await step('before');
      const fate = random() / Math.max(getFaults(), 1e-9);
      if (fate < 0.25) throw new Error('failed before the write');
      if (fate < 0.5) {
        clock.schedule(() => void store.swap(next, write), random() * LEASE);
        throw new Error('timeout, and the write is late');
      }
      const result = await store.swap(next, write);
      if (fate < 0.75) throw new Error('failed after the write');
      if (fate < 1) return store.swap(next, write);
      await step('after');
      return result;
    },
  };
}

interface Service {
  readonly made: readonly Made[];
  readonly fetch: (request: Request) => Promise<Response>;
}

function createService({
  idempotency,
  echo,
  clock,
  random,
  getFaults,
}: FaultContext & { readonly idempotency: Idempotency; readonly echo: Echo }): Service {
  const made: Made[] = [];
  const late: Omit<Made, 'id'>[] = [];
  /** Commits late requests that have arrived by now. Without timers, which a suspended machine delays. */
  const commitLate = (): void => {
    const now = clock.date().getTime();
    const due = late.filter(({ at }) => at <= now);
    late.splice(0, late.length, ...late.filter(({ at }) => at > now));
    for (const { key, body, at } of due.toSorted((a, b) => a.at - b.at)) commit(key, body, at);
  };
  const commit = (
    key: string,
    body: Record<string, unknown>,
    at = clock.date().getTime(),
  ): Made | 'conflict' => {
    const known = idempotency === 'ignored' ? undefined : made.find((one) => one.key === key);
    if (known) return idempotency === 'conflict' ? 'conflict' : known;
    const payment = { id: `pay_test_${made.length + 1}`, key, body, at };
    made.push(payment);
    return payment;
  };
  const create = async (request: Request): Promise<Response> => {
    const key = request.headers.get('idempotency-key') ?? '';
    const body = (await request.json()) as Record<string, unknown>;
    const fate = random() / Math.max(getFaults(), 1e-9);
    if (fate < 0.15) throw new TypeError('reset before the commit');
    if (fate < 0.3) {
      // The connection breaks, but the request still arrives before its timeout.
      late.push({ key, body, at: clock.date().getTime() + random() * (TIMEOUT - 1_000) });
      throw new TypeError('reset, and the request is late');
    }
    if (fate < 0.4) return respond(429, { error: { type: 'rate_limit_error', message: 'Too many.' } });
    if (fate < 0.5) return respond(422, { error: { type: 'insufficient_funds', message: 'Too low.' } });
    const payment = commit(key, body);
    if (payment === 'conflict')
      return respond(409, { error: { type: 'idempotency_error', message: 'This key was used.' } });
    if (fate < 0.75) throw new TypeError('reset after the commit');
    const response = respond(201, { data: toPayment(payment, echo) });
    return fate < 0.8 ? new Response((await response.text()).slice(0, 80), response) : response;
  };
  const respond = (status: number, body: object): Response =>
    Response.json(
      { success: status < 400, mode: 'test', ...body },
      { status, headers: { date: clock.date().toUTCString() } },
    );
  return {
    get made() {
      commitLate();
      return made;
    },
    fetch: async (request) => {
      commitLate();
      const { pathname } = new URL(request.url);
      if (request.method === 'POST') return create(request);
      if (random() < getFaults() / 4) throw new TypeError('reset');
      const payment = made.find(({ id }) => pathname.endsWith(`/${id}`));
      if (payment) return respond(200, { data: toPayment(payment, echo) });
      const transactions = made.map(toRow).toReversed();
      return respond(200, { data: { transactions, pagination: { current_page: 1, has_more: false } } });
    },
  };
}

function toPayment({ id, body, at }: Made, echo: Echo): object {
  const { amount, beneficiary_name: name, beneficiary_account, ...rest } = body;
  const beneficiary = {
    name: echo === 'cut' ? String(name).slice(0, SHORT_NAME) : name,
    account: echo === 'nameOnly' ? null : beneficiary_account,
    bank: null,
    country: null,
  };
  const amounts = { send_amount: amount, rate: 1, receive_amount: amount };
  return { id, status: 'pending', ...rest, ...amounts, beneficiary, created_at: toTime(at) };
}

function toRow({ id, body, at }: Made): object {
  const { amount, from_currency: currency, purpose: reference } = body;
  const row = { id: id.replace('pay', 'txn'), type: 'payment', status: 'completed', currency, reference };
  return {
    ...row,
    amount: -Number(amount),
    fee: null,
    balance_after: 0,
    payment_id: id,
    created_at: toTime(at),
  };
}

function toTime(at: number): string {
  return new Date(at).toISOString().replace('Z', '+00:00');
}

interface PersonContext {
  readonly store: IntentStore;
  readonly service: Service;
  readonly random: () => number;
  readonly drive: (work: Promise<unknown>) => Promise<void>;
}

/** A person who checks the account decides about one unknown intent. */
async function decideByPerson(payer: Payer, { store, service, random, drive }: PersonContext): Promise<void> {
  const unknown = await store.list({ states: ['sending', 'unknown'] });
  const intent = unknown[Math.floor(random() * unknown.length)];
  if (intent === undefined) return;
  const { reference, version, key } = intent;
  const payment = service.made.find((one) => one.key === key);
  const decision = { version, by: 'Ada', because: 'checked' };
  const none = random() < 0.5 ? ({ neverMade: true } as const) : ({ release: true } as const);
  const outcome = payment ? { paymentId: payment.id } : none;
  await drive(payer.resolve(reference, { ...decision, ...outcome }));
}
