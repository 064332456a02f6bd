import { describe, expect, it } from 'vitest';
import { changeData, probeService, createError } from './probe-service.ts';

const listMeasured = (findings: readonly { setting: string; state: string }[]): string[] =>
  findings.filter(({ state }) => state !== 'unknown').map(({ setting }) => setting);

describe('probe, responses', () => {
  it.each([
    ['503', () => new Response('', { status: 503 })],
    ['the HTML page of a portal', () => new Response('<html>')],
    ['a revoked key', () => createError(401, 'authentication_error')],
    ['an endless rate limit', () => createError(429, 'rate_limit_error', { 'retry-after': '3600' })],
  ])(
    'measures nothing and is incomplete if the service responds to everything with %s',
    async (_, respond) => {
      const outcome = await probeService({ intercept: async () => respond() });
      expect(listMeasured(outcome.findings)).toEqual([]);
      expect(outcome.isComplete).toBe(false);
    },
  );

  it.each([
    ['403', () => createError(403, 'permission_error')],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: '/login' } })],
    ['an HTML page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
  ])('measures no quote setting if the service responds to every quote with %s', async (_, respond) => {
    const outcome = await probeService({
      intercept: async ({ path, forward }) => (path === '/quotes' ? respond() : forward()),
    });
    const quoted = [
      'currencies.same',
      'currencies.case',
      'requestBody.unknownFields',
      'amounts.precision',
      'numbers',
      'requestBody.malformed',
    ];
    for (const setting of quoted) expect([setting, outcome.result(setting)]).toEqual([setting, 'unknown']);
  });

  it('does not derive bothKeys from an outage', async () => {
    const outcome = await probeService({
      options: { payments: false },
      intercept: async ({ request, forward }) =>
        request.headers.has('x-api-key') ? new Response('', { status: 503 }) : forward(),
    });
    expect(outcome.result('bothKeys')).toBe('unknown');
  });

  it('waits until the Retry-After date, relative to the Date of the response', async () => {
    let refused = 0;
    const headers = {
      date: 'Sat, 31 Jan 2026 12:00:00 GMT',
      'retry-after': 'Sat, 31 Jan 2026 12:00:09 GMT',
    };
    const waits: string[] = [];
    const outcome = await probeService({
      options: { payments: false, onProgress: (subjects) => waits.push(...subjects) },
      intercept: async ({ path, forward }) => {
        if (path !== '/quotes' || refused === 1) return forward();
        refused += 1;
        return createError(429, 'rate_limit_error', headers);
      },
    });
    expect(waits).toContain('9 s for the rate limit');
    expect(outcome.result('successStatus.createQuote')).toBe(200);
  });

  it.each(['seconds', 'date'] as const)(
    'reports that a limit exists, with Retry-After in the form %s',
    async (retryAfter) => {
      const { result, find } = await probeService({
        profile: { rateLimit: { requests: 20, window: '1s' }, retryAfter },
        options: { payments: false, burst: 100 },
      });
      expect(result('retryAfter')).toBe(retryAfter);
      expect(find('rateLimit')).toMatchObject({
        state: 'partly',
        missing: [expect.stringContaining('window')],
      });
    },
  );

  it('learns the error of an invalid request that has more fields than others', async () => {
    const outcome = await probeService({
      options: { payments: false },
      intercept: async ({ path, forward }) => {
        const response = await forward();
        if (path !== '/quotes' || response.status !== 422) return response;
        const { error, ...envelope } = (await response.json()) as { error: object };
        return Response.json({ ...envelope, error: { ...error, status: 422 } }, { status: 422 });
      },
    });
    expect(outcome.result('errorShape')).toBe('envelope');
    expect(outcome.find('refusals')).toMatchObject({
      value: { validation: { body: { error: { type: '{type}', status: '{status}' } } } },
    });
  });

  it.each([
    ['a rate as a string', { rate: '0.921300' }, 'partly'],
    ['a float tail only in the fee', { fee: 0.30000000000000004 }, 'floatTail'],
  ])('checks every number of a quote: %s', async (_, figures, value) => {
    const outcome = await probeService({
      options: { payments: false },
      intercept: async ({ path, forward }) =>
        path === '/quotes' ? changeData(await forward(), (data) => ({ ...data, ...figures })) : forward(),
    });
    expect(outcome.result('numbers')).toBe(value);
  });

  it('does not confuse a currency without decimals with truncated amounts', async () => {
    const outcome = await probeService({
      options: { payments: false, from: 'JPY', to: 'USD', amount: '10000' },
      profile: { minorUnits: 'iso', amounts: { precision: 'round' } },
    });
    expect(outcome.result('amounts.precision')).toBe('unknown');
  });
});
