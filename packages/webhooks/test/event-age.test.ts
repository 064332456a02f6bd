import { describe, expect, it } from 'vitest';
import { isStale, memoryStore } from '@service/webhooks/edge';
import { PAYMENT_STATUSES } from '../src/event.ts';
import { implementations } from './implementations.ts';
import { setUpReceiver } from './receiver-setup.ts';
import { SECRET, signByOracle, thrownBy, writeEvent } from './samples.ts';

const NOON = Date.parse('2026-01-31T12:00:00Z');
const eventAge = { maxEventAge: 3_600_000 };

describe.each(implementations)('event age over $name', ({ createVerifier, createReceiver }) => {
  const verifier = createVerifier({ secrets: SECRET, ...eventAge, now: () => NOON });
  const verifyAge = async (body: string) => {
    const result = await verifier.safeVerify(body, await signByOracle(body));
    return result.ok ? 'fresh' : result.code;
  };

  it.each([
    ['2026-01-31T12:00:00+00:00', 'fresh'],
    ['2026-01-31T10:59:00Z', 'fresh'],
    ['2026-01-31T10:58:59Z', 'stale_event'],
    ['2026-01-31T12:01:00+0000', 'fresh'],
    ['2026-01-31T12:01:01+0000', 'event_from_future'],
    ['2026-01-31T11:59:59.999999999+00:00', 'fresh'],
    ['2026-01-31T17:30:00+05:30', 'fresh'],
    ['2026-01-31T06:30:00-0530', 'fresh'],
    ['2026-01-31T11:59:60Z', 'fresh'],
  ])('of created_at %s is %s', async (created_at, expected) => {
    expect(await verifyAge(writeEvent({ created_at }))).toBe(expected);
  });

  it.each([undefined, null, 'yesterday', '2026-01-31T12:00:00', NOON, {}])(
    'of created_at %j is rejected, also of an unknown event',
    async (created_at) => {
      expect(await verifyAge(writeEvent({ created_at }))).toBe('unreadable_event');
      expect(await verifyAge(writeEvent({ event: 'wallet.credited', created_at }))).toBe('invalid_event');
    },
  );

  it('is not limited by default', async () => {
    const body = writeEvent({ created_at: '1999-12-31T23:59:59Z' });
    const { safeVerify } = createVerifier({ secrets: SECRET });
    expect(await safeVerify(body, await signByOracle(body))).toMatchObject({ ok: true });
  });

  it('causes a 200 to a stale event and a 500 to one from the future, and neither is dispatched', async () => {
    const options = { on: {}, ...eventAge, now: () => NOON };
    const { send, fallback, errors } = setUpReceiver(createReceiver, options);
    expect(await send(writeEvent({ created_at: '2025-01-31T12:00:00Z' }))).toBe(200);
    expect(await send(writeEvent({ created_at: '2027-01-31T12:00:00Z' }))).toBe(500);
    expect(fallback).not.toHaveBeenCalled();
    expect(await send(writeEvent({ created_at: '2026-01-31T12:00:00Z' }))).toBe(200);
    expect(errors.map(([code]) => code)).toEqual(['stale_event', 'event_from_future']);
    expect(fallback).toHaveBeenCalledOnce();
  });

  it.each([
    ['NaN', { maxEventAge: Number.NaN }],
    ['a negative age', { maxEventAge: -1 }],
    ['a string', { maxEventAge: '300' }],
    ['Infinity', { maxEventAge: Infinity }],
    ['a fraction', { maxEventAge: 0.5 }],
    ['a misspelled option', { maxEventAge: 5, tolerance: 1 }],
  ])('throws at construction for %s', (_, wrong) => {
    const options = { secrets: SECRET, ...(wrong as object) };
    expect(thrownBy(() => createVerifier(options))).toMatchObject({ code: 'invalid_options' });
    expect(thrownBy(() => createReceiver({ ...options, on: {}, fallback: () => {} }))).toMatchObject({
      code: 'invalid_options',
    });
  });

  const createWithTtl = (ttl: unknown) => () =>
    setUpReceiver(createReceiver, { ...eventAge, store: { ...memoryStore(), ttl: ttl as number } });

  it.each([undefined, 3_659_999, Number.NaN, '9999999'])('throws for a store with the ttl %j', (ttl) => {
    expect(thrownBy(createWithTtl(ttl))).toMatchObject({ code: 'invalid_options' });
  });

  it.each([3_660_000, Infinity])('accepts a store with a ttl of %s ms', (ttl) => {
    expect(createWithTtl(ttl)).not.toThrow();
  });
});

describe('isStale', () => {
  it.each(
    PAYMENT_STATUSES.flatMap((known, a) => PAYMENT_STATUSES.map((next, b) => [known, next, b < a] as const)),
  )('of %s and %s is %s', (known, next, expected) => {
    expect(isStale(known, next)).toBe(expected);
  });

  it('is false without a previous status and for an unknown status', () => {
    expect(isStale(undefined, 'pending')).toBe(false);
    expect(isStale('failed', 'under_review' as never)).toBe(false);
  });
});
