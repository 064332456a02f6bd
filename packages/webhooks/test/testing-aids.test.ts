import { describe, expect, it, vi } from 'vitest';
import { createAsyncVerifier, createReceiver } from '@service/webhooks/edge';
import { PAYMENT_STATUSES } from '../src/event.ts';
import { events, signedRequest } from '@service/webhooks/testing';
import { encode, rejectionOf, SECRET, signByOracle, writeEvent } from './samples.ts';

describe('events', () => {
  it.each(PAYMENT_STATUSES)('creates payment.%s, which passes verification', async (status) => {
    const body = JSON.stringify(events[status]({ data: { mode: 'live', send_amount: '5.00' } }));
    const event = await createAsyncVerifier({ secrets: SECRET, mode: 'live' }).verifyAsync(
      body,
      await signByOracle(body),
    );
    expect(event).toMatchObject({
      event: `payment.${status}`,
      data: { status, mode: 'live', send_amount: '5.00' },
    });
  });
});

describe('signedRequest', () => {
  it.each([
    ['an event', events.completed()],
    ['text', writeEvent()],
    ['bytes', encode(writeEvent())],
  ])('sends %s as the service does', async (_, event) => {
    const handler = vi.fn<() => void>();
    const receive = createReceiver({
      secrets: SECRET,
      on: { 'payment.completed': handler },
      fallback: () => {},
    });
    const request = await signedRequest(event, { secret: SECRET, url: 'https://shop.example/hooks' });
    expect(request.url).toBe('https://shop.example/hooks');
    expect((await receive(request)).status).toBe(200);
    expect(handler).toHaveBeenCalledOnce();
  });

  it('rejects an unusable secret', async () => {
    const error = await rejectionOf(signedRequest(events.failed(), { secret: '' }));
    expect(error).toMatchObject({ code: 'unusable_secret' });
  });
});
