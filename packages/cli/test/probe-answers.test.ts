// What the probe makes of answers that are not about what it asked: outages, limits, gates, and pairs that are not traded.
import { expect, it } from 'vitest';
import { change, probeService, refuse } from './probe-world.ts';

const states = (findings: readonly { setting: string; state: string }[]): string[] =>
  findings.filter(({ state }) => state !== 'unknown').map(({ setting }) => setting);

it.each([
  ['503', () => new Response('', { status: 503 })],
  ['a page of a portal', () => new Response('<html>')],
  ['a page of a gate', () => new Response('<html>', { status: 502 })],
  ['a key that is revoked', () => refuse(401, 'authentication_error')],
  ['a limit', () => refuse(429, 'rate_limit_error', { 'retry-after': '3600' })],
])('says nothing of a service that answers all with %s, and that it did not see all', async (_, answer) => {
  const seen = await probeService({ bend: async () => answer() });
  const told = states(seen.findings).filter((setting) => !['modeOn401', 'bothKeys'].includes(setting));
  expect(told.filter((setting) => setting !== 'rateLimitHeaders')).toEqual([]);
  expect(seen.isComplete).toBe(false);
});

it.each([
  ['403', () => refuse(403, 'permission_error')],
  ['404', () => refuse(404, 'not_found')],
  ['422', () => refuse(422, 'validation_error')],
  ['a redirect', () => new Response(null, { status: 302, headers: { location: '/login' } })],
  ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
  ['nothing', () => new Response(null, { status: 204 })],
])('reads no rule out of %s where every quote is answered so', async (_, answer) => {
  const seen = await probeService({
    bend: async (asked) => (asked.path === '/quotes' ? answer() : asked.answer()),
  });
  const quoted = [
    'sameCurrency',
    'currencyCase',
    'unknownFields',
    'excessPrecision',
    'numbers',
    'malformedBody',
  ];
  for (const setting of quoted) expect([setting, seen.said(setting)]).toEqual([setting, 'unknown']);
});

it('takes no answer of an outage for one to two keys', async () => {
  const seen = await probeService({
    pays: false,
    bend: async ({ request, answer }) =>
      request.headers.has('x-api-key') ? new Response('', { status: 503 }) : answer(),
  });
  expect(seen.said('bothKeys')).toBe('unknown');
});

it('waits until the date that a limit names, counted from the date of the answer', async () => {
  let refused = 0;
  const headers = {
    date: 'Sat, 31 Jan 2026 12:00:00 GMT',
    'retry-after': 'Sat, 31 Jan 2026 12:00:09 GMT',
  };
  const seen = await probeService({
    pays: false,
    bend: async ({ path, answer }) => {
      if (path !== '/quotes' || refused === 1) return answer();
      refused += 1;
      return refuse(429, 'rate_limit_error', headers);
    },
  });
  expect(seen.waited).toEqual([9_000]);
  expect(seen.said('quoteStatus')).toBe(200);
});

it('waits longer each time for a limit that does not say for how long', async () => {
  const seen = await probeService({
    pays: false,
    bend: async ({ path, answer }) =>
      path === '/balance/' ? refuse(429, 'rate_limit_error', { 'retry-after': 'soon' }) : answer(),
  });
  expect(seen.waited).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
});

it('stops asking for the limit when the service fails', async () => {
  const seen = await probeService({
    pays: false,
    plan: { burst: 500 },
    bend: async ({ path, answer }) => (path === '/balance' ? new Response('', { status: 503 }) : answer()),
  });
  expect(seen.asked.length).toBeLessThan(100);
  expect(seen.said('rateLimitHeaders')).toBe('unknown');
});

it('stops asking for the limit when the first answer names it', async () => {
  const seen = await probeService({
    pays: false,
    plan: { burst: 500 },
    bend: async ({ path, answer }) => {
      const response = await answer();
      if (path === '/balance') response.headers.set('x-ratelimit-limit', '600');
      return response;
    },
  });
  expect(seen.said('rateLimitHeaders')).toBe('x');
  expect(seen.asked.length).toBeLessThan(100);
});

it.each([
  ['meets a limit of requests at once', 20, 'none', /^429/],
  ['says how many requests met no limit', 1_000, 'unknown', /^no limit in 61 requests/],
])('sends a burst at once: %s', async (_, limit, said, evidence) => {
  const requests = 61;
  let open = 0;
  const seen = await probeService({
    pays: false,
    plan: { burst: requests },
    bend: async ({ path, answer }) => {
      if (path !== '/balance') return answer();
      open += 1;
      const isOver = open > limit;
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return isOver ? refuse(429, 'rate_limit_error') : answer();
    },
  });
  expect(seen.said('rateLimitHeaders')).toBe(said);
  expect(seen.asked.slice(-requests)).toEqual(Array(requests).fill('GET /balance'));
  expect(seen.of('rateLimitHeaders')?.evidence).toMatch(evidence);
});

it('names the fields of an error of another shape', async () => {
  const seen = await probeService({
    pays: false,
    bend: async ({ body, answer }) => {
      const response = await answer();
      if (response.status !== 422 || body.amount !== 0) return response;
      const refusal = (await response.json()) as object;
      return Response.json({ ...refusal, errors: { amount: ['Too small.'] } }, { status: 422 });
    },
  });
  expect(seen.of('errorShape')).toMatchObject({
    state: 'other',
    evidence: expect.stringMatching(/; fields: success, mode, error, errors, error\.type, error\.message$/),
  });
});

it.each([
  ['a rate that is a string', { rate: '0.921300' }, 'other'],
  ['thousands separators', { send_amount: '1,000.00' }, 'other'],
  ['a tail in the fee only', { fee: 0.30000000000000004 }, 'floatTail'],
  ['a rate with eight digits', { rate: 0.92131234 }, 'number'],
])('looks at every figure: %s', async (_, figures, value) => {
  const seen = await probeService({
    pays: false,
    bend: async ({ path, answer }) =>
      path === '/quotes' ? change(await answer(), (data) => ({ ...data, ...figures })) : answer(),
  });
  expect(seen.said('numbers')).toBe(value);
});

it('takes a lower case that is echoed for no normalising', async () => {
  const seen = await probeService({
    pays: false,
    profile: { currencyCase: 'normalise' },
    bend: async ({ path, answer, body }) =>
      path === '/quotes'
        ? change(await answer(), (data) => ({ ...data, from_currency: body.from_currency }))
        : answer(),
  });
  expect(seen.said('currencyCase')).toBe('other');
});

it('does not mistake a currency without decimals for one whose amounts are truncated', async () => {
  const seen = await probeService({
    pays: false,
    plan: { from: 'JPY', to: 'USD', amount: '10000' },
    profile: { minorUnits: 'iso', excessPrecision: 'round' },
  });
  expect(seen.said('excessPrecision')).toBe('unknown');
});

it.each([
  ['no word of success', { error: { type: 'validation_error', message: 'No.' } }],
  ['a list beside the error', { success: false, error: { type: 'a', message: 'b' }, errors: [] }],
])('takes an error with %s for a shape of its own', async (_, shape) => {
  const seen = await probeService({
    pays: false,
    bend: async ({ body, answer }) => (body.amount === 0 ? Response.json(shape, { status: 422 }) : answer()),
  });
  expect(seen.said('errorShape')).toBe('other');
});

it.each([
  ['rows with long names', '/transactions', { transactions: [{ ['x'.repeat(10_000)]: 1 }] }],
  [
    'a page with many fields',
    '/transactions',
    { ['y'.repeat(10_000)]: 1, transactions: [{ id: 1 }, { id: 2 }] },
  ],
])('cuts evidence that an answer has blown up: %s', async (_, start, data) => {
  const seen = await probeService({
    bend: async ({ path, answer }) =>
      path.startsWith(start) ? Response.json({ success: true, data }) : answer(),
  });
  for (const { evidence } of seen.findings) expect(evidence.length).toBeLessThan(500);
  expect(seen.said('numbers')).toBe('number');
});

it('takes a time that is no text for a form of its own', async () => {
  const seen = await probeService({
    bend: async ({ path, answer }) =>
      path === '/payments'
        ? change(await answer(), (data) => ({ ...data, created_at: { toString: 1 } }))
        : answer(),
  });
  expect(seen.said('timestamps')).toBe('other');
});

it('shows no more of a value than fits a line', async () => {
  const seen = await probeService({
    pays: false,
    bend: async ({ path, answer }) =>
      path === '/quotes'
        ? change(await answer(), (data) => ({ ...data, send_amount: '1'.repeat(10_000) }))
        : answer(),
  });
  for (const { evidence } of seen.findings) expect(evidence.length).toBeLessThan(500);
});
