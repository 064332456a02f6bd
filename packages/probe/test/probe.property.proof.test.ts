import { createMock } from '@service/mock';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Finding, probe } from '@service/probe';
import { runs } from '../../../test/support/runs.ts';

const money = fc.constantFrom<unknown>(
  1,
  '1.00',
  10,
  10.01,
  0,
  -1,
  null,
  'x',
  1e21,
  {},
  0.9213,
  '0.05000000000000001',
);
const fields = fc.record(
  {
    id: fc.constantFrom<unknown>('pay_test_1', '', 5, '../../x'),
    status: fc.constantFrom<unknown>('pending', 'processing', 'completed', 'failed', 'odd', null),
    purpose: fc.constantFrom<unknown>(null, '', 'x', 5),
    created_at: fc.constantFrom<unknown>('2026-01-31T12:00:00Z', '2026-01-31 12:00', 5),
    balances: fc.constantFrom<unknown>(
      [],
      null,
      [null],
      [{ currency: 'USD', balance: 5 }],
      [{ currency: 'USD' }],
    ),
    transactions: fc.constantFrom<unknown>([], [null], [{ id: 'a' }], 'x'),
    pagination: fc.constantFrom<unknown>(null, [], { has_more: false }, { next_cursor: null }),
    from_currency: fc.constant('USD'),
    send_amount: money,
    fee: money,
    rate: money,
    receive_amount: money,
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ success: fc.constant(true), data: fields }).map((value) => JSON.stringify(value)),
  },
  fc.constantFrom(
    '',
    'null',
    '[]',
    '{',
    '<html>',
    '{"data":[]}',
    '{"success":false,"error":{"type":"x","message":"y"}}',
  ),
);
const response = fc.record({
  status: fc.constantFrom(200, 201, 202, 206, 302, 400, 401, 403, 404, 409, 422, 429, 500, 503),
  body,
  headers: fc.constantFrom<Record<string, string>>(
    {},
    { link: '</x>; rel="next"' },
    { deprecation: '@1', sunset: 'soon' },
    { 'retry-after': '-5', ratelimit: 'x' },
  ),
});

interface ResponseParts {
  status: number;
  body: string;
  headers: Record<string, string>;
}

/** The body of the first response, without which there is no run. */
const balance = '{"success":true,"mode":"test","data":{"balances":[]}}';

/** Probes a service that cycles through the given responses. */
async function probeResponses(responses: readonly ResponseParts[]): Promise<readonly Finding[]> {
  let count = 0;
  let time = 0;
  const fetch = async (): Promise<Response> => {
    const next = count === 0 ? undefined : responses[(count - 1) % responses.length];
    const { status, body: text, headers } = next ?? { status: 200, body: balance, headers: {} };
    count += 1;
    return new Response(text, { status, headers });
  };
  const sleep = async (milliseconds: number): Promise<void> => {
    expect(milliseconds).toBeGreaterThanOrEqual(0);
    time += milliseconds;
  };
  const { findings } = await probe(
    { apiKey: 'service_test_1', baseUrl: 'http://localhost:4010/api/v1', fetch },
    {
      webhooks: async () => async () => {},
      clock: { now: () => time, sleep },
    },
  );
  return findings;
}

const playable = new Map<string, boolean>();

/** Returns true if a mock accepts the value of a setting. */
function isPlayable(setting: string, value: unknown): boolean {
  const name = JSON.stringify([setting, value]);
  const isKnown = playable.get(name) ?? canPlay({ [setting]: value });
  playable.set(name, isKnown);
  return isKnown;
}

function canPlay(profile: object): boolean {
  try {
    createMock({ profile });
    return true;
  } catch {
    return false;
  }
}

/** The number of findings: some settings have several. */
const QUESTIONS = 32;

describe('probe', () => {
  it('has a finding that a mock accepts for each setting, for any responses', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(response, { minLength: 1, maxLength: 12 }), async (responses) => {
        const findings = await probeResponses(responses);
        expect(new Set(findings.map(({ setting }) => setting)).size).toBe(QUESTIONS);
        const invalid = findings.filter((one) => 'value' in one && !isPlayable(one.setting, one.value));
        expect(invalid).toEqual([]);
      }),
      { numRuns: runs(60) },
    );
  });

  it('ends when the quotes have amounts below zero', async () => {
    const quote = (send_amount: number, fee: number): ResponseParts => {
      const data = { from_currency: 'USD', send_amount, fee, rate: 0.9213, receive_amount: 0.9213 };
      return { status: 200, body: JSON.stringify({ success: true, data }), headers: {} };
    };
    const findings = await probeResponses([quote(0, 0), quote(-1, 0.92)]);
    expect(findings.find(({ setting }) => setting === 'fees')).toMatchObject({ state: 'unknown' });
  });
});
