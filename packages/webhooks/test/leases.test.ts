import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '@service/webhooks/edge';
import type { DedupeStore, ReceiverOptions, WebhookEvent } from '@service/webhooks/edge';
import { implementations } from './implementations.ts';
import { setUpReceiver } from './receiver-setup.ts';
import { writeEvent } from './samples.ts';
import { createSlowHandler } from './slow-handler.ts';

/** Waits for pending promise callbacks: only timers are fake. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Advances the fake timers, one second at a time. */
async function advance(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    vi.advanceTimersByTime(1_000);
    await settle();
  }
}

/** A memory store that records its commands, with optional results of `renew` and `confirm`. */
function createRecordedStore(results: Partial<Pick<DedupeStore, 'renew' | 'confirm'>> = {}) {
  const commands: string[] = [];
  const inner = memoryStore();
  const store: DedupeStore = { ...inner };
  for (const name of ['claim', 'renew', 'confirm', 'release'] as const)
    store[name] = (key: string, owner: string, lease?: number): Promise<never> => {
      commands.push(lease === undefined ? name : `${name} ${lease}`);
      const run = { ...inner, ...results }[name] as unknown as (...words: unknown[]) => Promise<never>;
      return run(key, owner, lease);
    };
  return { store, commands };
}

type RecordedStore = ReturnType<typeof createRecordedStore>;

describe.each(implementations)('the lease of a claim over $name', ({ createReceiver }) => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
  );
  afterEach(() => void vi.useRealTimers());

  const setUp = (handler: (event: WebhookEvent) => unknown, options: Partial<ReceiverOptions>) =>
    setUpReceiver(createReceiver, { on: { 'payment.completed': handler }, ...options });

  /** Sends an event, and resolves when its handler runs, which the test ends. */
  async function sendSlowly({ store, commands }: RecordedStore, options: Partial<ReceiverOptions> = {}) {
    const { handler, entered, end, fail } = createSlowHandler();
    const { send, errors } = setUp(handler, { store, ...options });
    const sent = send();
    await entered;
    return { sent, end, fail, commands, errors };
  }

  it('is 4 s and renewed every second while the handler runs', async () => {
    const { sent, end, commands, errors } = await sendSlowly(createRecordedStore());
    await advance(3);
    end();
    expect(await sent).toBe(200);
    expect(commands).toEqual(['claim 4000', 'renew 4000', 'renew 4000', 'renew 4000', 'confirm']);
    expect(vi.getTimerCount()).toBe(0);
    expect(errors).toEqual([]);
  });

  it.each([
    ['confirmed', []],
    [undefined, []],
    ['lost', [['lease_overrun', 'payment.completed']]],
  ] as const)(
    'is not renewed for a synchronous handler, and its event is acknowledged if confirm returns %s',
    async (state, reported) => {
      const { store, commands } = createRecordedStore({ confirm: async () => state });
      const { send, errors } = setUp(() => undefined, { store });
      expect(await send()).toBe(200);
      expect(commands).toEqual(['claim 4000', 'confirm']);
      expect(errors).toEqual(reported);
    },
  );

  it.each([
    ['60 s by default', 60, {}],
    ['maxHandlerTime', 3, { maxHandlerTime: 3_000 }],
  ])('is renewed for at most %s', async (_, renewals, options) => {
    const { sent, end, commands } = await sendSlowly(createRecordedStore(), options);
    await advance(renewals + 10);
    expect(commands.filter((command) => command.startsWith('renew'))).toHaveLength(renewals);
    expect(vi.getTimerCount()).toBe(0);
    end();
    expect(await sent).toBe(200);
  });

  it.each([
    ['60 s', 60_000, {}],
    ['maxHandlerTime', 90_000, { maxHandlerTime: 90_000 }],
  ])('is %s for a store without renew', async (_, lease, options) => {
    const recorded = createRecordedStore();
    delete recorded.store.renew;
    const { sent, end, commands, errors } = await sendSlowly(recorded, options);
    expect(vi.getTimerCount()).toBe(0);
    end();
    expect(await sent).toBe(200);
    expect(commands).toEqual([`claim ${lease}`, 'confirm']);
    expect(errors).toEqual([]);
  });

  it('is released and no longer renewed if the handler throws', async () => {
    const { sent, fail, commands, errors } = await sendSlowly(createRecordedStore());
    await advance(1);
    fail(new Error('database is down'));
    expect(await sent).toBe(500);
    expect(vi.getTimerCount()).toBe(0);
    expect(commands).toEqual(['claim 4000', 'renew 4000', 'release']);
    expect(errors).toEqual([['handler_failed', 'payment.completed']]);
  });

  it('is confirmed only after a pending renewal', async () => {
    const renewing = Promise.withResolvers<'renewed'>();
    const { sent, end, commands } = await sendSlowly(createRecordedStore({ renew: () => renewing.promise }));
    await advance(1);
    end();
    await settle();
    expect(commands).toEqual(['claim 4000', 'renew 4000']);
    renewing.resolve('renewed');
    expect(await sent).toBe(200);
    expect(commands).toEqual(['claim 4000', 'renew 4000', 'confirm']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is renewed again after a failed renewal', async () => {
    const renew = vi
      .fn<() => Promise<'renewed'>>()
      .mockRejectedValueOnce(new Error('reset'))
      .mockResolvedValue('renewed');
    const { sent, end, errors } = await sendSlowly(createRecordedStore({ renew }));
    await advance(3);
    expect(renew).toHaveBeenCalledTimes(3);
    end();
    expect(await sent).toBe(200);
    expect(errors).toEqual([]);
  });

  it('is reported once as lease_overrun if renew returns lost while the handler runs', async () => {
    const renew = vi.fn<() => Promise<'lost'>>(async () => 'lost');
    const recorded = createRecordedStore({ renew, confirm: async () => 'lost' });
    const { sent, end, errors } = await sendSlowly(recorded);
    await advance(5);
    expect(renew).toHaveBeenCalledOnce();
    expect(errors).toEqual([['lease_overrun', 'payment.completed']]);
    end();
    expect(await sent).toBe(200);
    expect(errors).toHaveLength(1);
  });

  it.each([
    ['claim', false, 500, ['store_failed']],
    ['confirm', false, 200, ['confirm_failed']],
    ['release', true, 500, ['store_failed', 'handler_failed']],
  ] as const)('is given up after 5 s if %s of the store hangs', async (command, isFailing, status, codes) => {
    const handler = (): void => {
      if (isFailing) throw new Error('database is down');
    };
    const called = Promise.withResolvers<void>();
    const hang = (): Promise<never> => {
      called.resolve();
      return new Promise(() => {});
    };
    const { send, errors } = setUp(handler, { store: { ...memoryStore(), [command]: hang } });
    const sent = send();
    await called.promise;
    await advance(5);
    expect(await sent).toBe(status);
    expect(errors).toEqual(codes.map((code) => [code, 'payment.completed']));
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the renewal of a claim', () => {
  it('does not keep a process alive', () => {
    const index = join(import.meta.dirname, '../src/index.ts');
    const script = `
      import { createReceiver, sign } from ${JSON.stringify(index)};
      const body = ${JSON.stringify(writeEvent())};
      const receive = createReceiver({ secrets: 's', on: {}, fallback: () => new Promise(() => {}) });
      void receive.deliver({ method: 'POST', headers: { 'x-service-signature': sign(body, 's') }, read: () => body });
      const startedAt = performance.now();
      process.on('exit', () => console.log(performance.now() - startedAt < 900));
    `;
    const flags = ['--conditions=@service/source', '--input-type=module', '-e', script];
    const { stdout, status } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
    expect([stdout.trim(), status]).toEqual(['true', 0]);
  });
});
