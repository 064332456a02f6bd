import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createReceiver } from '@service/webhooks/edge';
import type { DedupeStore } from '@service/webhooks/edge';
import { runs } from '../../../../test/support/runs.ts';
import type { SharedStoreOptions } from '../../src/stores/shared-store.ts';
import { createDelivery, createPayment, SECRET, writeEvent } from '../samples.ts';

let count = 0;
const newId = (): string => `pay_test_read${(count += 1)}at${Date.now()}`;

export interface ReadsContext {
  readonly open: (options?: SharedStoreOptions) => DedupeStore;
  /** Advances the clock of the store: every mark and claim expires so many milliseconds earlier. */
  readonly advance: (milliseconds: number) => Promise<void>;
  /** The words by which `reading-receiver.ts` opens the store in another process. */
  readonly describeStore: () => readonly string[];
}

/** The tests of payments that are read, over every store that processes share. */
export function describeReads({ open, advance, describeStore }: ReadsContext): void {
  function setUp(options?: SharedStoreOptions) {
    const handler = vi.fn<() => void>();
    let passed = 0;
    const receive = createReceiver({
      secrets: SECRET,
      on: {},
      fallback: handler,
      onError: () => {},
      store: open(options),
      now: () => Date.now() + passed,
    });
    const payment = createPayment({ id: newId(), created_at: new Date().toISOString() });
    const read = () => receive.handleRetrieved(payment);
    const send = async () =>
      (await receive(await createDelivery(writeEvent({ data: { id: payment.id } })))).status;
    const pass = async (milliseconds: number): Promise<void> => {
      passed += milliseconds;
      await advance(milliseconds);
    };
    return { handler, read, send, pass };
  }

  it('remembers a payment as long as it is read, and then handles no read of it, but its event', async () => {
    const { handler, read, send, pass } = setUp({ ttl: 120_000 });
    expect(await read()).toBe('handled');
    for (let minute = 0; minute < 10; minute += 1) {
      await pass(60_000);
      expect(await read()).toBe('duplicate');
    }
    await pass(120_000);
    expect([await read(), await read()]).toEqual(['too_old', 'too_old']);
    expect(handler).toHaveBeenCalledOnce();
    expect([await send(), await read()]).toEqual([200, 'duplicate']);
  });

  it('renews the time of a confirmed key by a confirmation of another owner, and of no other key', async () => {
    const store = open({ ttl: 60_000 });
    const [key, running] = [newId(), newId()];
    await store.confirm(key, 'one');
    await store.claim(running, 'one', 60_000);
    await advance(40_000);
    expect([await store.confirm(key, 'two'), await store.confirm(running, 'two')]).toEqual(['lost', 'lost']);
    await advance(40_000);
    expect([await store.claim(key, 'three'), await store.claim(running, 'three')]).toEqual([
      'confirmed',
      'claimed',
    ]);
    expect(await store.confirm(key, 'one')).toBe('confirmed');
  });

  it('handles an event in one process and its read in another at the same time once', async () => {
    const processes = await Promise.all([startReceiver(describeStore()), startReceiver(describeStore())]);
    for (let run = 0; run < runs(10); run += 1) {
      const payment = createPayment({ id: newId(), created_at: new Date().toISOString() });
      const body = writeEvent({ data: { id: payment.id } });
      const [one, two] = run % 2 === 0 ? processes : processes.toReversed();
      const answers = await Promise.all([ask(one!, { body }), ask(two!, { payment })]);
      const [sent, read] = answers.map(({ result }) => result);
      expect(sent).toBe(200);
      expect(['handled', 'duplicate', 'in_progress']).toContain(read);
      expect((await ask(one!, { payment })).result).toBe('duplicate');
      const effects = await Promise.all(processes.map((each) => ask(each, {})));
      expect(effects.flatMap(({ handled }) => handled).filter((id) => id === payment.id)).toHaveLength(1);
    }
    const exits = processes.map((each) => once(each, 'exit'));
    for (const each of processes) each.disconnect();
    await Promise.all(exits);
  });
}

interface Answer {
  readonly result?: number | string;
  /** The ids of the payments whose handler has run in this process. */
  readonly handled: readonly string[];
}

async function startReceiver(words: readonly string[]): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'reading-receiver.ts'), words, {
    execArgv: ['--conditions=@service/source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

async function ask(child: ChildProcess, message: object): Promise<Answer> {
  child.send(message);
  const [answer] = (await once(child, 'message')) as [Answer];
  return answer;
}
