// Pays a batch in a separate process, which ends or stops itself at one of its steps: a write or a create.
import { createClient, ConfigurationError, type PaymentInput } from '../../src/index.ts';
import { createPayer, type IntentStore, type Payer } from '../../src/entries/payer.ts';
import { openStore, type StoreKind } from './open-store.ts';

/** The batch of a payer process, as JSON in its first argument. */
export interface PayerProcessOptions {
  readonly kind: StoreKind;
  readonly path: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly idempotency: 'replayed' | 'conflict' | 'ignored';
  readonly concurrency: number;
  /** Whether the lines are planned and run, or paid with `pay`. */
  readonly call: 'run' | 'pay';
  /** The lines, by reference. */
  readonly lines: Readonly<Record<string, PaymentInput>>;
  /** Where the process sends itself a signal. */
  readonly stop?:
    | {
        readonly step: number;
        readonly when: 'before' | 'after';
        readonly signal: 'SIGKILL' | 'SIGSTOP';
      }
    | undefined;
}

/** A message of a payer process. */
export type PayerMessage =
  { readonly type: 'ready' } | { readonly type: 'done'; readonly steps: number; readonly error?: string };

/** The settings of time, in milliseconds: short, so that the leases of killed processes end soon. */
export const times = { timeout: 600, lease: 1_000, clockSkew: 100 } as const;

async function pay(options: PayerProcessOptions) {
  const { lines, idempotency, concurrency, call, stop, baseUrl, apiKey } = options;
  const { store, close } = openStore(options.kind, options.path);
  let steps = 0;
  let isArmed = false;
  let pending = stop;
  /** Returns whether the process was stopped here. */
  const step = (when: 'before' | 'after'): boolean => {
    if (!isArmed) return false;
    if (when === 'before') steps += 1;
    if (steps !== pending?.step || when !== pending.when) return false;
    const { signal } = pending;
    // Only once: two overlapping steps can end at the same count.
    pending = undefined;
    // The process stops in this call.
    process.kill(process.pid, signal);
    return true;
  };
  const counted: IntentStore = {
    ...store,
    swap: async (next, write) => {
      step('before');
      const result = await store.swap(next, write);
      step('after');
      return result;
    },
  };
  const client = createClient({
    baseUrl,
    apiKey,
    timeout: times.timeout,
    keyRetention: idempotency === 'replayed' ? 86_400_000 : undefined,
    maxRetries: 1,
    onWarning: () => {},
    fetch: async (url, init) => {
      if (init.method !== 'POST') return fetch(url, init);
      // The bytes that a stopped process has passed to its system leave, although its timeout has passed since.
      const response = await fetch(url, step('before') ? { ...init, signal: null } : init);
      step('after');
      return response;
    },
  });
  const payer = createPayer(client, {
    store: counted,
    lease: times.lease,
    clockSkew: times.clockSkew,
    concurrency,
  });
  let error: string | undefined;
  try {
    if (call === 'run')
      await Promise.all(Object.entries(lines).map(([reference, body]) => payer.plan(reference, body)));
    isArmed = true;
    send({ type: 'ready' });
    if (call === 'run') for await (const _ of payer.run());
    else await payAll(payer, options);
  } catch (thrown) {
    error = String(thrown);
  }
  await close();
  send({ type: 'done', steps, ...(error !== undefined && { error }) });
  process.disconnect();
}

/** Pays the lines. The errors of single payments are in their intents. */
async function payAll(payer: Payer, { lines, concurrency }: PayerProcessOptions): Promise<void> {
  const left = Object.entries(lines);
  const work = async (): Promise<void> => {
    for (let line = left.shift(); line; line = left.shift())
      await payer.pay(...line).catch((error: unknown) => {
        if (error instanceof ConfigurationError) throw error;
      });
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

function send(message: PayerMessage): void {
  process.send?.(message);
}

const [, program, options] = process.argv;
if (program === import.meta.filename && options !== undefined)
  await pay(JSON.parse(options) as PayerProcessOptions);
