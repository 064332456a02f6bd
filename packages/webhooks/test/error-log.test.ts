import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '@service/webhooks/edge';
import type { ReceiverOptions } from '@service/webhooks/edge';
import { implementations } from './implementations.ts';
import { createDelivery, SECRET, writeEvent } from './samples.ts';

const PRIVATE = 'confidential';

describe.each(implementations)('onError over $name', ({ createReceiver }) => {
  async function logOf(body: string, options: Partial<ReceiverOptions> = {}): Promise<string[]> {
    const lines: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => void lines.push(words.join(' ')));
    const receive = createReceiver({
      secrets: SECRET,
      on: {},
      fallback: () => {},
      ...options,
    });
    await receive(await createDelivery(body));
    return lines;
  }

  const refuse = (): never => {
    throw Object.assign(new Error(PRIVATE), { code: 'ECONNREFUSED' });
  };

  it.each([
    [
      'an unreadable event',
      writeEvent({ data: { send_amount: PRIVATE } }),
      {},
      'Webhook error unreadable_event: unreadable event: data.send_amount of payment.completed is not as documented',
    ],
    [
      'a body that is not JSON',
      `[${PRIVATE}`,
      {},
      'Webhook error invalid_json: invalid json: see the codes in the README',
    ],
    [
      'a handler that throws',
      writeEvent({ data: { purpose: PRIVATE } }),
      { fallback: refuse },
      'Webhook error handler_failed for payment.completed: The handler threw; its claim is released, so that the next delivery runs it again. Cause: Error ECONNREFUSED.',
    ],
    [
      'a handler that throws at an undocumented event',
      JSON.stringify({ event: `${PRIVATE}\n\u001b[2J` }),
      { fallback: () => Promise.reject(new Error(PRIVATE)) },
      'Webhook error handler_failed: The handler threw; its claim is released, so that the next delivery runs it again. Cause: Error.',
    ],
    [
      'a store that fails without a cause to name',
      writeEvent(),
      { store: { ...memoryStore(), claim: () => Promise.reject({ name: `${PRIVATE} text` }) } },
      'Webhook error store_failed for payment.completed: The dedupe store failed, so the event was not acknowledged.',
    ],
  ])('logs %s in one line by default, without the body', async (_, body, options, line) => {
    expect(await logOf(body, options as Partial<ReceiverOptions>)).toEqual([line]);
  });

  it('logs nothing when the event is handled', async () => {
    expect(await logOf(writeEvent())).toEqual([]);
  });

  it('logs nothing when you pass your own', async () => {
    const onError = vi.fn<() => void>();
    expect(await logOf('[1', { onError })).toEqual([]);
    expect(onError).toHaveBeenCalledOnce();
  });
});
