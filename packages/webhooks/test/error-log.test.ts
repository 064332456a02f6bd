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

  const throwConnectionError = (): never => {
    throw Object.assign(new Error(PRIVATE), { code: 'ECONNREFUSED' });
  };

  it.each([
    [
      'an unreadable event',
      writeEvent({ data: { send_amount: PRIVATE } }),
      {},
      'Webhook error unreadable_event: unreadable event: data.send_amount of payment.completed is not as documented (https://docs.example.com/payments-kit/webhooks/errors#unreadable_event)',
    ],
    [
      'a body that is not JSON',
      `[${PRIVATE}`,
      {},
      'Webhook error invalid_json: Webhook failed: invalid json. (https://docs.example.com/payments-kit/webhooks/errors#invalid_json)',
    ],
    [
      'a handler that throws',
      writeEvent({ data: { purpose: PRIVATE } }),
      { fallback: throwConnectionError },
      'Webhook error handler_failed for payment.completed: The handler threw. The next delivery runs it again. (cause: Error ECONNREFUSED) (https://docs.example.com/payments-kit/webhooks/errors#handler_failed)',
    ],
    [
      'a handler that throws for an undocumented event',
      JSON.stringify({ event: `${PRIVATE}\n\u001b[2J` }),
      { fallback: () => Promise.reject(new Error(PRIVATE)) },
      'Webhook error handler_failed: The handler threw. The next delivery runs it again. (cause: Error) (https://docs.example.com/payments-kit/webhooks/errors#handler_failed)',
    ],
    [
      'a store that fails without a printable cause',
      writeEvent(),
      { store: { ...memoryStore(), claim: () => Promise.reject({ name: `${PRIVATE} text` }) } },
      'Webhook error store_failed for payment.completed: The deduplication store failed. The event was not acknowledged, so the sender retries. (https://docs.example.com/payments-kit/webhooks/errors#store_failed)',
    ],
  ])('logs %s in one line by default, without the body', async (_, body, options, line) => {
    expect(await logOf(body, options as Partial<ReceiverOptions>)).toEqual([line]);
  });

  it('logs nothing if the event is handled', async () => {
    expect(await logOf(writeEvent())).toEqual([]);
  });

  it('logs nothing if the caller passes onError', async () => {
    const onError = vi.fn<() => void>();
    expect(await logOf('[1', { onError })).toEqual([]);
    expect(onError).toHaveBeenCalledOnce();
  });
});
