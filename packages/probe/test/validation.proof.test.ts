import { createMock } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { probeService } from './probe-service.ts';
import {
  type InvalidField,
  type StyledRefusal,
  validateRequest,
  type ValidationStyle,
  validationStyles,
} from './validation-styles.ts';

interface Call {
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

const quote = { from_currency: 'USD', to_currency: 'EUR', amount: 10 };
const payment = { ...quote, beneficiary_name: 'Alder Ltd' };

/** Calls of which most have values that the probe does not send. */
const calls: readonly Call[] = [
  { path: '/quotes', body: {} },
  { path: '/quotes', body: { ...quote, from_currency: 'ABC' } },
  { path: '/quotes', body: { ...quote, amount: -17.5 } },
  { path: '/quotes', body: { ...quote, amount: true } },
  { path: '/quotes', body: { ...quote, to_currency: [1, 2] } },
  { path: '/quotes', body: { from_currency: 7, to_currency: 'EUR', amount: 10 } },
  { path: '/quotes', body: { from_currency: 'USD', amount: 12 } },
  { path: '/quotes', body: { from_currency: 'USD', to_currency: 'EUR' } },
  { path: '/payments', body: {} },
  { path: '/payments', body: { ...payment, beneficiary_name: undefined } },
  { path: '/payments', body: { ...payment, from_currency: 1, amount: 'x', beneficiary_name: null } },
  { path: '/payments', body: { ...payment, amount: 'x', to_currency: undefined } },
  { path: '/transactions?per_page=0' },
  { path: '/transactions?per_page=-3' },
  { path: '/transactions?per_page=some' },
];

function respond(
  { write, select = (all) => all }: ValidationStyle,
  { path, body = {} }: Call,
): StyledRefusal | undefined {
  const [first, ...others] = select(validateRequest(path, body));
  if (first === undefined) return undefined;
  const query = Object.fromEntries(new URLSearchParams(path.split('?')[1]));
  const problems: [InvalidField, ...InvalidField[]] = [first, ...others];
  return write({ problems, path, request: path.includes('?') ? query : body });
}

/** Replaces texts for people, and times. */
function simplify(json: unknown): unknown {
  const text = JSON.stringify(json, (_, value: unknown) =>
    typeof value === 'string' && /\s|^\d{4}-\d\d-\d\dT/.test(value) ? 'text' : value,
  );
  return JSON.parse(text) as unknown;
}

describe('probe, responses to invalid requests', () => {
  it.each(validationStyles)('plays those of $title', async (style) => {
    const { profile } = await probeService({
      intercept: async ({ path, body, forward, request }) => {
        const response = await forward();
        const isChecked = response.ok || response.status === 422;
        const isPost = path === '/quotes' || path === '/payments';
        if (!isChecked || isPost !== (request.method === 'POST')) return response;
        const styled = respond(style, { path, body });
        return styled === undefined ? response : Response.json(styled.body, { status: styled.status });
      },
      options: { timeout: 10_000, webhookTimeout: 1_000 },
    });
    const { account, baseUrl, fetch } = createMock({
      clock: 'manual',
      start: '2026-01-31T12:00:00Z',
      profile: { ...profile, currencies: ['EUR', 'GBP', 'JPY', 'USD'] },
    });
    for (const call of calls) {
      const wanted = respond(style, JSON.parse(JSON.stringify(call)) as Call);
      const response = await fetch(`${baseUrl}${call.path}`, {
        method: call.body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${account.testKey}`, 'content-type': 'application/json' },
        ...(call.body && { body: JSON.stringify(call.body) }),
      });
      const played = { status: response.status, body: simplify(await response.json()) };
      expect({ call, ...played }).toEqual({ call, status: wanted?.status, body: simplify(wanted?.body) });
    }
  });

  it('keeps those of other requests if the service has an outage for one of them', async () => {
    const { find, profile } = await probeService({
      intercept: async ({ request, path, forward }) => {
        const response = await forward();
        const isBroken = path === '/quotes' && response.status === 400;
        return isBroken && request.method === 'POST' ? new Response('Oops', { status: 500 }) : response;
      },
      options: { timeout: 10_000, webhookTimeout: 1_000 },
    });
    expect(find('errorShape')?.state).toBe('found');
    expect(profile.refusals?.authentication).toBeUndefined();
    expect(profile.refusals).toMatchObject({ malformed_body: { status: 500 } });
  });

  it('have their own media type', async () => {
    const { profile } = await probeService({
      intercept: async ({ forward }) => {
        const response = await forward();
        if (response.status === 404) response.headers.set('content-type', 'application/problem+json');
        return response;
      },
      options: { timeout: 10_000, webhookTimeout: 1_000 },
    });
    const headers = { 'content-type': 'application/problem+json' };
    expect(profile.refusals).toMatchObject({ unknown_payment: { headers }, unknown_path: { headers } });
    expect(profile.refusals).not.toHaveProperty('authentication');
  });
});
