import { describe, expect, it, vi } from 'vitest';
import { isStale, memoryStore, PAYMENT_STATUSES } from '@service/webhooks/edge';
import type { WebhookWarning } from '@service/webhooks/edge';
import { events } from '@service/webhooks/testing';
import { implementations } from './implementations.ts';
import { createDelivery, SECRET, signByOracle, thrownBy, writeEvent } from './samples.ts';

const NOON = Date.parse('2026-01-31T12:00:00Z');
const ignore = (): void => {};
const freshness = { maxAge: 3_600_000, skew: 60_000 };

describe.each(implementations)('freshness over $name', ({ createVerifier, createReceiver }) => {
  const verifier = createVerifier({ secrets: SECRET, freshness, now: () => NOON, onWarning: ignore });
  const judge = async (body: string) => {
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
  ])('judges created_at %s: %s', async (created_at, verdict) => {
    expect(await judge(writeEvent({ created_at }))).toBe(verdict);
  });

  it.each([
    undefined,
    null,
    '',
    'yesterday',
    '2026-01-31',
    '2026-01-31T12:00:00',
    '31 Jan 2026 12:00:00 GMT',
    NOON,
    NOON / 1000,
    { toString: '2026-01-31T12:00:00Z' },
  ])('refuses created_at %j, also of an unknown event', async (created_at) => {
    expect(await judge(writeEvent({ created_at }))).toBe('unreadable_event');
    expect(await judge(writeEvent({ event: 'wallet.credited', created_at }))).toBe('invalid_event');
  });

  it('is off by default: an event of any age is genuine', async () => {
    const body = writeEvent({ created_at: '1999-12-31T23:59:59Z' });
    expect(await createVerifier({ secrets: SECRET }).isValid(body, await signByOracle(body))).toBe(true);
    expect(
      await createVerifier({ secrets: SECRET }).safeVerify(body, await signByOracle(body)),
    ).toMatchObject({
      ok: true,
    });
  });

  it('answers 200 to a stale event and 500 to one from the future, dispatches neither and tells onError', async () => {
    const codes: string[] = [];
    const fallback = vi.fn<() => void>();
    const onError = ({ code }: { code: string }) => codes.push(code);
    const receive = createReceiver({
      secrets: SECRET,
      on: {},
      fallback,
      onError,
      freshness,
      now: () => NOON,
      onWarning: ignore,
    });
    const send = async (created_at: string) =>
      (await receive(await createDelivery(writeEvent({ created_at })))).status;
    expect(await send('2025-01-31T12:00:00Z')).toBe(200);
    expect(await send('2027-01-31T12:00:00Z')).toBe(500);
    expect(fallback).not.toHaveBeenCalled();
    expect(await send('2026-01-31T12:00:00Z')).toBe(200);
    expect(codes).toEqual(['stale_event', 'event_from_future']);
    expect(fallback).toHaveBeenCalledOnce();
  });

  it.each([
    ['NaN', { maxAge: Number.NaN }],
    ['a negative age', { maxAge: -1 }],
    ['no age', { skew: 5 }],
    ['a text', { maxAge: '300' }],
    ['Infinity', { maxAge: Infinity }],
    ['a fraction', { maxAge: 0.5 }],
    ['a skew of NaN', { maxAge: 5, skew: Number.NaN }],
    ['a negative skew', { maxAge: 5, skew: -1 }],
    ['a skew of text', { maxAge: 5, skew: '1' }],
    ['a misspelling', { maxAge: 5, tolerance: 1 }],
    ['a number', 300],
    ['null', null],
  ])('throws at construction for %s', (_, wrong) => {
    const options = { secrets: SECRET, freshness: wrong as never };
    expect(thrownBy(() => createVerifier(options))).toMatchObject({ code: 'invalid_options' });
    expect(thrownBy(() => createReceiver({ ...options, on: {}, fallback: () => {} }))).toMatchObject({
      code: 'invalid_options',
    });
  });

  it.each([
    [100_799_999, ['max_age_below_retries']],
    [100_800_000, []],
  ])('warns of a maxAge of %s ms: %j', (maxAge, expected) => {
    const codes: string[] = [];
    const onWarning = ({ code }: WebhookWarning): void => void codes.push(code);
    createVerifier({ secrets: SECRET, freshness: { maxAge }, onWarning });
    expect(codes).toEqual(expected);
    createReceiver({ secrets: SECRET, freshness: { maxAge }, onWarning, on: {}, fallback: ignore });
    expect(codes).toEqual([...expected, ...expected]);
  });

  const createOver = (ttl: unknown) => () =>
    createReceiver({
      secrets: SECRET,
      on: {},
      fallback: () => {},
      freshness,
      onWarning: ignore,
      store: { ...memoryStore(), ttl: ttl as number },
    });

  it.each([
    ['no ttl', undefined],
    ['too short a ttl', 3_659_999],
    ['a ttl of NaN', Number.NaN],
    ['a ttl of text', '9999999'],
  ])('refuses a store of %s', (_, ttl) => {
    expect(thrownBy(createOver(ttl))).toMatchObject({ code: 'invalid_options' });
  });

  it.each([3_660_000, Infinity])('takes a store that remembers for %s ms', (ttl) => {
    expect(createOver(ttl)).not.toThrow();
  });
});

describe('isStale', () => {
  it.each(
    PAYMENT_STATUSES.flatMap((known, a) => PAYMENT_STATUSES.map((next, b) => [known, next, b < a] as const)),
  )('knows %s, meets %s: %s', (known, next, expected) => {
    expect(isStale(known, next)).toBe(expected);
    const [one, two] = [events[known](), events[next]()];
    expect(isStale({ kind: 'payment', ...one } as never, { kind: 'payment', ...two } as never)).toBe(
      expected,
    );
  });

  it('takes nothing known, and what nobody knows, for not stale', () => {
    expect(isStale(undefined, 'pending')).toBe(false);
    expect(isStale('failed', 'under_review' as never)).toBe(false);
  });
});
