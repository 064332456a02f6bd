import { describe, expect, it } from 'vitest';
import { changeData, probeService, createError } from './probe-service.ts';

const listMeasured = (findings: readonly { setting: string; state: string }[]): string[] =>
  findings.filter(({ state }) => state !== 'unknown').map(({ setting }) => setting);

/** Returns the delays except those between the quotes that watch a rate. */
const withoutRates = (delays: readonly number[]): number[] => delays.filter((delay) => delay !== 500);

describe('probe, responses', () => {
  it.each([
    ['503', () => new Response('', { status: 503 })],
    ['the HTML page of a portal', () => new Response('<html>')],
    ['the HTML page of a gateway', () => new Response('<html>', { status: 502 })],
    ['a revoked key', () => createError(401, 'authentication_error')],
    ['an endless rate limit', () => createError(429, 'rate_limit_error', { 'retry-after': '3600' })],
  ])(
    'measures nothing and is incomplete if the service responds to everything with %s',
    async (_, respond) => {
      const outcome = await probeService({ intercept: async () => respond() });
      const measured = listMeasured(outcome.findings).filter(
        (setting) => !['modeOn401', 'bothKeys', 'unknownPath'].includes(setting),
      );
      const limits = new Set(['rateLimitHeaders', 'retryAfter']);
      expect(measured.filter((setting) => !limits.has(setting))).toEqual([]);
      expect(outcome.isComplete).toBe(false);
    },
  );

  it.each([
    ['403', () => createError(403, 'permission_error')],
    ['404', () => createError(404, 'not_found')],
    ['422', () => createError(422, 'validation_error')],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: '/login' } })],
    ['an HTML page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['no body', () => new Response(null, { status: 204 })],
  ])('measures no quote setting if the service responds to every quote with %s', async (_, respond) => {
    const outcome = await probeService({
      intercept: async ({ path, forward }) => (path === '/quotes' ? respond() : forward()),
    });
    const quoted = [
      'sameCurrency',
      'currencyCase',
      'unknownFields',
      'excessPrecision',
      'numbers',
      'malformedBody',
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
    expect(outcome.result('quoteStatus')).toBe(200);
  });

  it('doubles the delay for each 429 with an unreadable Retry-After', async () => {
    const outcome = await probeService({
      options: { payments: false },
      intercept: async ({ path, forward }) =>
        path === '/balance/' ? createError(429, 'rate_limit_error', { 'retry-after': 'soon' }) : forward(),
    });
    expect(withoutRates(outcome.delays)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  });

  it('stops the burst when the service fails', async () => {
    const outcome = await probeService({
      options: { payments: false, burst: 500 },
      intercept: async ({ path, forward }) =>
        path === '/balance' ? new Response('', { status: 503 }) : forward(),
    });
    expect(outcome.requests.filter((path) => path === 'GET /balance').length).toBeLessThan(100);
    expect(outcome.result('rateLimitHeaders')).toBe('unknown');
  });

  it.each([
    [20, '1s', 'seconds'],
    [75, '30s', 'date'],
  ] as const)('measures a limit of %i requests in %s', async (requests, window, retryAfter) => {
    const { result, find } = await probeService({
      profile: { rateLimit: { requests, window }, retryAfter },
      options: { payments: false, burst: 100 },
    });
    expect([result('rateLimit'), result('retryAfter')]).toEqual([{ requests, window }, retryAfter]);
    expect(find('rateLimit')?.evidence).toMatch(
      new RegExp(`^a new window accepted ${requests} of 100 requests at once, then Retry-After: `),
    );
  });

  it('measures a limit whose 429 has no Retry-After', async () => {
    const { result, find } = await probeService({
      profile: { rateLimit: { requests: 60, window: '20s' }, rateLimitHeaders: 'none' },
      options: { payments: false, burst: 100 },
    });
    expect([result('rateLimit'), result('rateLimitHeaders')]).toEqual([
      { requests: 60, window: '20s' },
      'none',
    ]);
    expect(find('rateLimit')?.evidence).toMatch(
      /^a 429 after \d+ requests has no Retry-After; the next window /,
    );
  });

  it('keeps the requests that are left as a header of every response', async () => {
    const all = { 'x-ratelimit-remaining': '{remaining}' };
    const { result } = await probeService({
      profile: {
        rateLimit: { requests: 900, window: '20s' },
        rateLimitHeaders: 'none',
        headers: { all },
      },
      options: { burst: 1_000 },
    });
    expect([result('rateLimitHeaders'), result('headers')]).toEqual(['none', { all }]);
  });

  it('measures the time of responses', async () => {
    const { result } = await probeService({
      options: { payments: false },
      intercept: async ({ forward, mock }) => {
        await mock.sandbox.clock.advance('300ms');
        return forward();
      },
    });
    expect(result('latency')).toEqual(['300ms', '300ms']);
  });

  it('sends the whole burst if only the headers of the responses show a limit', async () => {
    const outcome = await probeService({
      options: { payments: false, burst: 500 },
      intercept: async ({ path, forward }) => {
        const response = await forward();
        if (path === '/balance') response.headers.set('x-ratelimit-limit', '600');
        return response;
      },
    });
    expect(outcome.result('rateLimitHeaders')).toBe('x');
    expect(outcome.find('rateLimit')?.evidence).toBe('no 429 in 500 requests; a higher `burst` sends more');
  });

  it.each([
    ['finds a limit of concurrent requests', 20, 'none', /^429/],
    [
      'reports the number of requests without a limit',
      1_000,
      'unknown',
      /^no limit in 61 requests; a higher `burst` sends more$/,
    ],
  ])('sends a burst at once and %s', async (_, limit, expected, evidence) => {
    const requests = 61;
    let open = 0;
    const outcome = await probeService({
      options: { payments: false, burst: requests },
      intercept: async ({ path, forward }) => {
        if (path !== '/balance') return forward();
        open += 1;
        const isOver = open > limit;
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        return isOver ? createError(429, 'rate_limit_error') : forward();
      },
    });
    expect(outcome.result('rateLimitHeaders')).toBe(expected);
    // Without a limit, one can count only the requests that write.
    const bursts = expected === 'unknown' ? ['GET /balance', 'POST /quotes'] : ['GET /balance'];
    const sent = bursts.flatMap((request) => Array<string>(requests).fill(request));
    expect(outcome.requests.slice(-sent.length)).toEqual(sent);
    expect(outcome.find('rateLimitHeaders')?.evidence).toMatch(evidence);
    expect(outcome.result('rateLimit')).toBe('unknown');
  });

  it.each([
    ['envelope', {}, 'a quote for 0: 422 with the fields success, mode, error.type, error.message'],
    [
      'extra',
      { fields: { amount: ['must be at least 0.01'] }, status: 422 },
      'a quote for 0: 422 with the fields success, mode, error.type, error.message, error.fields, error.status',
    ],
  ])('names the fields of the error shape %s', async (shape, fields, evidence) => {
    const outcome = await probeService({
      options: { payments: false },
      intercept: async ({ body, forward }) => {
        const response = await forward();
        if (body.amount !== 0 || response.status !== 422) return response;
        const { error, ...envelope } = (await response.json()) as { error: object };
        return Response.json({ ...envelope, error: { ...error, ...fields } }, { status: 422 });
      },
    });
    expect(outcome.find('errorShape')).toMatchObject({
      state: 'found',
      value: shape,
      evidence: expect.stringContaining(evidence),
    });
  });

  it('lists the fields of an invalid request with more than the other errors', async () => {
    const outcome = await probeService({
      options: { payments: false },
      intercept: async ({ body, forward }) => {
        const response = await forward();
        if (response.status !== 422 || body.amount !== 0) return response;
        const refusal = (await response.json()) as object;
        return Response.json({ ...refusal, errors: { amount: ['Too small.'] } }, { status: 422 });
      },
    });
    expect(outcome.find('errorShape')).toMatchObject({
      state: 'found',
      value: 'envelope',
      evidence:
        'a quote for 0: 422 with the fields success, mode, error.type, error.message, errors; the errors of authentication, unknown_payment',
    });
  });

  it.each([
    ['a rate as a string', { rate: '0.921300' }, 'other'],
    ['thousands separators', { send_amount: '1,000.00' }, 'other'],
    ['a float tail only in the fee', { fee: 0.30000000000000004 }, 'floatTail'],
    ['a rate with eight digits', { rate: 0.92131234 }, 'number'],
  ])('checks every number of a quote: %s', async (_, figures, value) => {
    const outcome = await probeService({
      options: { payments: false },
      intercept: async ({ path, forward }) =>
        path === '/quotes' ? changeData(await forward(), (data) => ({ ...data, ...figures })) : forward(),
    });
    expect(outcome.result('numbers')).toBe(value);
  });

  it('does not report normalise if the service echoes lower case', async () => {
    const outcome = await probeService({
      options: { payments: false },
      profile: { currencyCase: 'normalise' },
      intercept: async ({ path, forward, body }) =>
        path === '/quotes'
          ? changeData(await forward(), (data) => ({ ...data, from_currency: body.from_currency }))
          : forward(),
    });
    expect(outcome.result('currencyCase')).toBe('other');
  });

  it('does not confuse a currency without decimals with truncated amounts', async () => {
    const outcome = await probeService({
      options: { payments: false, from: 'JPY', to: 'USD', amount: '10000' },
      profile: { minorUnits: 'iso', excessPrecision: 'round' },
    });
    expect(outcome.result('excessPrecision')).toBe('unknown');
  });

  it.each([
    ['no success field', { error: { type: 'validation_error', message: 'No.' } }],
    ['a list next to the error', { success: false, error: { type: 'a', message: 'b' }, errors: [] }],
  ])('finds the envelope of other errors if a quote for 0 gets an error with %s', async (_, shape) => {
    const outcome = await probeService({
      options: { payments: false },
      intercept: async ({ body, forward }) =>
        body.amount === 0 ? Response.json(shape, { status: 422 }) : forward(),
    });
    expect(outcome.result('errorShape')).toBe('envelope');
  });

  it.each([
    ['rows with long names', '/transactions', { transactions: [{ ['x'.repeat(10_000)]: 1 }] }],
    [
      'a page with many fields',
      '/transactions',
      { ['y'.repeat(10_000)]: 1, transactions: [{ id: 1 }, { id: 2 }] },
    ],
  ])('truncates long evidence: %s', async (_, start, data) => {
    const outcome = await probeService({
      intercept: async ({ path, forward }) =>
        path.startsWith(start) ? Response.json({ success: true, data }) : forward(),
    });
    for (const { evidence } of outcome.findings) expect(evidence.length).toBeLessThan(500);
    expect(outcome.result('numbers')).toBe('number');
  });

  it('reports other for a timestamp that is not text', async () => {
    const outcome = await probeService({
      intercept: async ({ path, forward }) =>
        path === '/payments'
          ? changeData(await forward(), (data) => ({ ...data, created_at: { toString: 1 } }))
          : forward(),
    });
    expect(outcome.result('timestamps')).toBe('other');
  });

  it('truncates a long value', async () => {
    const outcome = await probeService({
      options: { payments: false },
      intercept: async ({ path, forward }) =>
        path === '/quotes'
          ? changeData(await forward(), (data) => ({ ...data, send_amount: '1'.repeat(10_000) }))
          : forward(),
    });
    for (const { evidence } of outcome.findings) expect(evidence.length).toBeLessThan(500);
  });
});
