import { createMock, defaultProfile, type ProfileChoice } from '@service/mock';
import { compareProfile, probe } from '@service/probe';
import { describe, expect, it } from 'vitest';
import { onRequest } from '../../../test/support/on-request.ts';
import { connectTo, createError, probeService } from './probe-service.ts';

const SETTINGS = 32;
const createService = () => createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 42 });

describe('probe', () => {
  it('finds the document in a mock with the default profile, with at most 40 payments within 60 s', async () => {
    const times: number[] = [];
    const { findings, payments, isComplete } = await probeService({
      intercept: async ({ forward, mock: { sandbox } }) => {
        await sandbox.clock.advance('20ms');
        times.push(sandbox.clock.now().getTime());
        return forward();
      },
    });
    expect(compareProfile(findings, defaultProfile).differences).toEqual([]);
    const open = findings.filter(({ state }) => state !== 'found').map(({ setting }) => setting);
    // Other accounts are not tried, and the other values are written by hand.
    expect(open).toEqual([
      'outcomes',
      'deliveryFaults',
      'retrySchedule',
      'headers',
      'rateLimit',
      'retryAfter',
      'ack',
    ]);
    expect(findings).toHaveLength(SETTINGS);
    expect([isComplete, payments <= 40, (times.at(-1) ?? 0) - (times[0] ?? 0) <= 60_000]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('takes at most 60 s and 40 payments where reads are late, payments take a minute and retries go on', async () => {
    const times: number[] = [];
    const { payments } = await probeService({
      profile: {
        readLag: { payments: '9s', balance: '9s', transactions: '9s' },
        statuses: { pending: '30s', processing: '30s' },
        debitAt: 'completed',
        retrySchedule: ['9s', '9s', '9s', '9s', '9s', '9s'],
      },
      intercept: async ({ forward, mock: { sandbox } }) => {
        await sandbox.clock.advance('20ms');
        times.push(sandbox.clock.now().getTime());
        return forward();
      },
    });
    expect([payments <= 40, (times.at(-1) ?? 0) - (times[0] ?? 0) <= 60_000]).toEqual([true, true]);
  });

  // What the rest of the payments would have shown can contradict.
  it.each<[limit: NonNullable<ProfileChoice['rateLimit']>, ofPayments: readonly string[]]>([
    [{ requests: 10, window: '1s' }, ['absent', 'timestamps']],
    [{ requests: 100, window: '1m' }, []],
  ])('takes at most 60 s on a service with the limit %j, and finds %j of payments', async (rateLimit, of) => {
    const times: number[] = [];
    const { findings, isComplete } = await probeService({
      profile: { rateLimit },
      intercept: async ({ forward, mock: { sandbox } }) => {
        await sandbox.clock.advance('20ms');
        times.push(sandbox.clock.now().getTime());
        return forward();
      },
    });
    expect([isComplete, (times.at(-1) ?? 0) - (times[0] ?? 0) <= 60_000]).toEqual([true, true]);
    expect(compareProfile(findings, defaultProfile).differences).toEqual([]);
    const ofPayments = findings.filter(({ setting }) => /^(?:absent|timestamps)$/.test(setting));
    expect(ofPayments.flatMap(({ setting, state }) => (state === 'found' ? [setting] : []))).toEqual(of);
  });

  it('returns an incomplete result if it is aborted, and stops the webhooks', async () => {
    const [connection, options] = connectTo(createService());
    const controller = new AbortController();
    let stops = 0;
    const onProgress = ([subject]: readonly string[]): void => {
      if (subject === 'payments until they complete or fail') controller.abort();
    };
    const webhooks = async (): Promise<() => Promise<void>> => async () => void (stops += 1);
    const { findings, isComplete } = await probe(connection, {
      ...options,
      webhooks,
      signal: controller.signal,
      onProgress,
    });
    expect([isComplete, stops, findings.length]).toEqual([false, 1, SETTINGS]);
    expect(findings.find(({ setting }) => setting === 'numbers')).toMatchObject({ state: 'found' });
    expect(findings.find(({ setting }) => setting === 'debitAt')).toMatchObject({
      state: 'unknown',
      evidence: 'interrupted',
    });
  });

  it('shows no API key that a service echoes', async () => {
    const service = createService();
    const [connection, options] = connectTo(service);
    const { apiKey } = connection;
    const echo = async (request: Request): Promise<Response> => {
      const response = await service.fetch(request);
      const body = (await response.json()) as object;
      return Response.json({ ...body, echo: apiKey }, { status: response.status + (response.ok ? 6 : 0) });
    };
    const echoing = { ...connection, fetch: onRequest(echo) };
    const result = await probe(echoing, { ...options, payments: false });
    expect(JSON.stringify(result)).not.toContain(apiKey);
  });

  it.each([
    ['503', () => new Response('', { status: 503 })],
    ['the HTML page of a portal', () => new Response('<html>')],
    ['a revoked key', () => createError(401, 'authentication_error')],
    ['an endless rate limit', () => createError(429, 'rate_limit_error', { 'retry-after': '3600' })],
  ])(
    'measures nothing and is incomplete if the service responds to everything with %s',
    async (_, respond) => {
      const { findings, isComplete } = await probeService({ intercept: async () => respond() });
      expect(findings.filter(({ state }) => state !== 'unknown')).toEqual([]);
      expect(isComplete).toBe(false);
    },
  );

  it('waits until the Retry-After date, relative to the Date of the response', async () => {
    let refused = 0;
    const headers = { date: 'Sat, 31 Jan 2026 12:00:00 GMT', 'retry-after': 'Sat, 31 Jan 2026 12:00:09 GMT' };
    const waits: string[] = [];
    await probeService({
      options: { payments: false, onProgress: (subjects) => waits.push(...subjects) },
      intercept: async ({ path, forward }) => {
        if (path !== '/quotes' || refused === 1) return forward();
        refused += 1;
        return createError(429, 'rate_limit_error', headers);
      },
    });
    expect(waits).toContain('9 s for the rate limit');
  });
});
