import { documentedQuote } from '@service/internal';
import { createMock, type Mock, type ProfileChoice } from '@service/mock';
import { listen } from '@service/mock/node';
import {
  extendProfile,
  type Exchange,
  formatExchange,
  learnProfile,
  parseRecording,
  recordTraffic,
} from '@service/probe/node';
import { describe, expect, it } from 'vitest';
import { type Answer, runApplication } from './application.ts';

async function withService<T>(mock: Mock, work: (baseUrl: string) => Promise<T>): Promise<T> {
  const server = await listen(mock, { port: 0 });
  try {
    return await work(server.baseUrl);
  } finally {
    await server.close();
    await mock.close();
  }
}

const createService = (profile: ProfileChoice): Mock =>
  createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 'record', profile });

/** Records the traffic of the application with a mock. */
async function record(profile: ProfileChoice): Promise<{ answers: Answer[]; exchanges: Exchange[] }> {
  const mock = createService(profile);
  const exchanges: Exchange[] = [];
  const now = (): number => mock.sandbox.clock.now().getTime();
  const answers = await withService(mock, async (to) => {
    const recorder = await recordTraffic({ to: new URL(to), now, onExchange: (one) => exchanges.push(one) });
    try {
      return await runApplication({ baseUrl: recorder.baseUrl.href, mock });
    } finally {
      await recorder.close();
    }
  });
  return { answers, exchanges };
}

async function play(profile: ProfileChoice): Promise<Answer[]> {
  const mock = createService(profile);
  return withService(mock, (baseUrl) => runApplication({ baseUrl, mock }));
}

const profiles: Readonly<Record<string, ProfileChoice>> = {
  'the default settings': {},
  'templates of payments, quotes, balances and headers': {
    successStatus: { createPayment: 202, createQuote: 201 },
    absent: 'omit',
    timestamps: 'fraction',
    ids: { payment: 'pay_{mode}_{hex 20}' },
    quoteShape: {
      ...documentedQuote,
      total_cents: '{debit cents}',
      provider: 'bank',
    },
    balanceShape: {
      balances: [
        '{each wallets}',
        { currency: '{currency}', balance: '{balance}', cents: '{balance cents}' },
      ],
    },
    headers: { all: { 'x-powered-by': 'Sandbox' }, createPayment: { location: '/api/v1/payments/{id}' } },
  },
  'pages that count from 0': {
    pagination: {
      data: { transactions: ['{each rows}', '{row}'], page: '{page}', total: '{total}' },
      first: 0,
    },
  },
  'rows, pages and refusals in the form of a framework': {
    pagination: {
      data: ['{each rows}', '{row}'],
      beside: { meta: { page: '{page}', size: '{per_page}', total: '{total}', pages: '{total_pages}' } },
    },
    transactionShape: [
      {
        of: 'payment',
        row: {
          id: '{id}',
          kind: 'debit',
          amount_cents: '{amount abs cents}',
          currency: '{currency}',
          payment: '{payment_id}',
          memo: '{purpose}',
          created_at: '{created_at}',
        },
      },
      {
        of: 'refund',
        row: {
          id: '{id}',
          kind: 'refund',
          amount_cents: '{amount abs cents}',
          currency: '{currency}',
          payment: '{payment_id}',
          memo: '{purpose}',
          created_at: '{created_at}',
        },
      },
      {
        of: 'deposit',
        row: {
          id: '{id}',
          kind: 'deposit',
          amount_cents: '{amount abs cents}',
          currency: '{currency}',
          payment: null,
          memo: null,
          created_at: '{created_at}',
        },
      },
    ],
    errorShape: { body: { detail: '{message}' } },
    refusals: {
      validation: { status: 400, body: { errors: { '{each fields}': ['{problem}'] } } },
      authentication: {
        body: { detail: '{message}', code: 'token' },
        headers: { 'www-authenticate': 'Token' },
      },
      insufficient_funds: { status: 402, body: { detail: '{message}', code: 'funds' } },
    },
  },
};

describe('a mock that plays the profile learned from recorded traffic', () => {
  it.each(Object.entries(profiles))(
    'answers the application as the recorded service with %s',
    async (_, given) => {
      const { answers, exchanges } = await record(given);
      const { exchanges: kept, unreadable } = parseRecording(exchanges.map(formatExchange).join(''));
      expect(unreadable).toEqual([]);
      const { profile } = extendProfile({}, learnProfile(kept));
      expect(await play(profile)).toEqual(answers);
    },
  );
});

describe('the findings of a recording', () => {
  it('do not depend on a path that cannot be decoded, nor on a header with a masked key', () => {
    const [at, ms, headers] = ['2026-01-31T12:00:00.000Z', 5, { 'x-key': 'service_test_…1' }];
    const request = { method: 'GET', path: '/balance', headers: { authorization: 'Bearer key' } };
    const body = { success: false, mode: 'test', error: { type: 'not_found', message: 'No payment.' } };
    const balances = { success: true, data: { balances: [] } };
    const findings = learnProfile([
      { kind: 'api', at, ms, request, response: { status: 200, headers, body: balances } },
      {
        kind: 'api',
        at,
        ms,
        request: { ...request, path: '/payments/%ff' },
        response: { status: 404, headers, body },
      },
    ]);
    expect(findings.map(({ setting }) => setting)).toContain('refusals');
  });

  it('name a limit that one response with 429 shows, and what it does not show', () => {
    const at = '2026-01-31T12:00:00.000Z';
    const request = { method: 'GET', path: '/balance', headers: { authorization: 'Bearer key' } };
    const body = {
      success: false,
      mode: 'test',
      error: { type: 'too_many', message: 'Wait.', id: 'a81f00b1c2d3e4f5' },
    };
    const findings = learnProfile([
      {
        kind: 'api',
        at,
        ms: 5,
        request,
        response: { status: 200, headers: {}, body: { success: true, data: { balances: [] } } },
      },
      { kind: 'api', at, ms: 5, request, response: { status: 429, headers: { 'retry-after': '7' }, body } },
    ]);
    const find = (name: string) => findings.find(({ setting }) => setting === name);
    expect(find('rateLimit')).toMatchObject({
      state: 'partly',
      missing: [expect.stringContaining('window')],
    });
    expect(find('rateLimit')).not.toHaveProperty('value');
    expect(find('retryAfter')).toMatchObject({ state: 'found', value: 'seconds' });
    const { rate_limit: learned } = (find('refusals') as { value: Record<string, { body: object }> }).value;
    // An id that was seen once is no part of the template.
    expect(JSON.stringify(learned)).toContain('too_many');
    expect(JSON.stringify(learned)).not.toContain('a81f');
    expect(find('refusals')).toMatchObject({
      state: 'partly',
      missing: expect.arrayContaining(['id of rate_limit']),
    });
  });
});
