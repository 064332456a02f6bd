import { describe, expect, it, vi } from 'vitest';
import type { WebhookError } from '@service/webhooks/edge';
import { badInputs } from './bad-inputs.ts';
import { implementations } from './implementations.ts';
import { encode, SECRET } from './samples.ts';

const toView = (body: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  const bytes = typeof body === 'string' ? encode(body) : body;
  const pool = new Uint8Array(bytes.length + 16).fill(32);
  pool.set(bytes, 8);
  return pool.subarray(8, 8 + bytes.length);
};

describe.each(implementations)('an invalid request over $name', ({ createVerifier, createReceiver }) => {
  const verifier = createVerifier({ secrets: SECRET, mode: 'test' });

  it.each(Object.entries(badInputs))('with %s has the expected code', async (_, rows) => {
    expect(rows.length).toBeGreaterThan(0);
    for (const { title, body, signature, code } of rows) {
      const headers = { 'x-service-signature': signature as string };
      for (const raw of [body, toView(body)]) {
        expect([title, await verifier.safeVerify(raw, headers)]).toEqual([title, { ok: false, code }]);
      }
    }
  });

  it.each(Object.entries(badInputs))('with %s gets a response and is not handled', async (_, rows) => {
    const handler = vi.fn<() => void>();
    const errors: WebhookError[] = [];
    const options = {
      secrets: SECRET,
      mode: 'test' as const,
      onError: (error: WebhookError) => errors.push(error),
    };
    const { deliver } = createReceiver({
      ...options,
      on: { 'payment.completed': handler },
      fallback: handler,
    });
    for (const { title, body, signature, code, status } of rows) {
      const headers = { 'x-service-signature': signature as string };
      const response = await deliver({ method: 'POST', headers, read: () => toView(body) });
      expect([title, response.status, errors.pop()?.code]).toEqual([title, status, code]);
    }
    expect(handler).not.toHaveBeenCalled();
  });
});
