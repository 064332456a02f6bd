// Asking and reading apart: the table of questions, and readings of calls that no run made.
import { describe, expect, it } from 'vitest';
import { type Call, toCall } from '../src/call.ts';
import { answer, repeated } from '../src/question.ts';
import { findAll, questions, steps } from '../src/questions/index.ts';
import { isSameRefusal } from '../src/refused.ts';
import { see } from '../src/seen.ts';
import { fitRule } from '../src/questions/fee-rule.ts';
import { learnExample, listDifferences, type Sample } from '../src/example.ts';

const facts = { from: 'USD', to: 'EUR' };
const [step] = steps;

/** Returns a call of a question. */
function call(label: string, path: string, status: number, body: object = {}, method = 'GET'): Call {
  const success = status < 300;
  return toCall(
    {
      at: '2026-01-31T12:00:00.000Z',
      ms: 5,
      request: { method, path, headers: {} },
      response: { status, headers: {}, body: { success, ...body } },
    },
    label,
  ) as Call;
}

describe('the table of questions', () => {
  it('asks each question once, with a step of the run', () => {
    const names = questions.map(({ setting }) => setting);
    expect(new Set(names).size).toBe(names.length);
    expect(questions.filter(({ ask }) => !steps.includes(ask)).map(({ setting }) => setting)).toEqual([]);
    expect(findAll(see([], [], facts))).toHaveLength(32);
  });

  it('has no limit of amounts where the search ended early', () => {
    const ask = (amount: number, status: number): Call =>
      toCall(
        {
          at: '2026-01-31T12:00:00.000Z',
          ms: 5,
          request: {
            method: 'POST',
            path: '/quotes',
            headers: {},
            body: { from_currency: 'USD', to_currency: 'EUR', amount },
          },
          response: { status, headers: {}, body: { success: status < 300, data: {} } },
        },
        'amounts.limits',
      ) as Call;
    const find = (calls: readonly Call[]): unknown =>
      findAll(see(calls, [], facts)).find(({ setting }) => setting === 'amounts');
    const early = [ask(10, 200), ask(9_999_999_999_999.99, 422)];
    expect(find(early)).toMatchObject({ state: 'unknown' });
    const ended = [...early, ask(500, 200), ask(500.01, 422)];
    expect(find(ended)).toMatchObject({ state: 'partly', value: { maximum: '500.00' } });
  });

  it('reads the form of times from responses rather than from webhooks', () => {
    const data = { id: 'pay_test_1', status: 'pending', created_at: '2026-01-31T12:00:00Z' };
    const body = { created_at: '2026-01-31T12:00:00.123+01:00' };
    const event = { id: data.id, status: 'pending', body, at: 0, isRefused: false };
    const seen = see([call('payments', '/payments', 201, { data }, 'POST')], [event, event], facts);
    expect(findAll(seen)).toContainEqual(expect.objectContaining({ state: 'partly', value: 'zulu' }));
  });

  it('has no answer without a call', () => {
    const findings = findAll(see([], [], facts));
    expect(findings.filter(({ state }) => state !== 'unknown')).toEqual([]);
  });

  it.each<[string, readonly Call[], object]>([
    [
      'two agree',
      [call('paths.similar', '/balance/', 404), call('paths.similar', '//balance', 404)],
      { state: 'found', value: 'strict' },
    ],
    [
      'only one is there',
      [call('paths.similar', '/balance/', 404)],
      { state: 'partly', value: 'strict', missing: [expect.stringContaining('a second observation')] },
    ],
    [
      'one request is repeated',
      [call('paths.similar', '/balance/', 404), call('paths.similar', '/balance/', 404)],
      { state: 'partly' },
    ],
    [
      'one contradicts',
      [
        call('paths.similar', '/balance/', 404),
        call('paths.similar', '//balance', 404),
        call('paths.similar', '/Balance', 200),
      ],
      { state: 'partly', missing: ['GET /Balance: 200'] },
    ],
    [
      'no value describes it',
      [call('paths.similar', '/balance/', 418)],
      { state: 'partly', missing: ['GET /balance/: 418'] },
    ],
    ['there was an outage', [call('paths.similar', '/balance/', 503)], { state: 'unknown' }],
  ])('decides by the observations that did not make the value: %s', (_, calls, expected) => {
    const question = questions.find(({ setting }) => setting === 'paths.similar')!;
    expect(answer(question, see(calls, [], facts))).toMatchObject(expected);
  });

  it('leaves out a question that makes no sense for the service', () => {
    const base = repeated<string>({
      setting: 'ack',
      ask: step!,
      request: 'one',
      list: () => ['a'],
      show: (text) => ({ text, value: 1 }),
    });
    expect(answer({ ...base, read: () => 'pointless' }, see([], [], facts))).toBeUndefined();
  });
});

describe('isSameRefusal', () => {
  it('ignores numbers, and ids of responses with and without digits', () => {
    const refused = (id: string, message: string) =>
      call('x', '/payments', 422, { error: { type: 'funds', message, request_id: id } }).response;
    const others = [
      refused('req_a1', 'Not enough USD for 10.00'),
      refused('req_b2', 'Not enough USD for 20.00'),
    ];
    expect(isSameRefusal(refused('req_kqz', 'Not enough USD for 7.00'), others)).toBe(true);
    expect(isSameRefusal(refused('req_c3', 'The name is too long'), others)).toBe(false);
  });
});

describe('fitRule', () => {
  it.each([
    [
      { percent: '0.5' },
      [
        [100n, 1n],
        [1_000n, 5n],
        [100_000n, 500n],
        [10_000_000n, 50_000n],
      ],
    ],
    [
      { flat: '2.50' },
      [
        [100n, 250n],
        [1_000n, 250n],
        [100_000n, 250n],
      ],
    ],
    [
      { percent: '1', flat: '0.30' },
      [
        [100n, 31n],
        [1_000n, 40n],
        [100_000n, 1_030n],
        [900_000n, 9_030n],
      ],
    ],
    [
      { percent: '1', minimum: '1.00', maximum: '50.00' },
      [
        [100n, 100n],
        [5_000n, 100n],
        [20_000n, 200n],
        [400_000n, 4_000n],
        [900_000n, 5_000n],
        [9_000_000n, 5_000n],
      ],
    ],
    [
      undefined,
      [
        [100n, 1n],
        [1_000n, 5n],
        [100_000n, 900n],
        [10_000_000n, 50_000n],
      ],
    ],
  ] as const)('fits %j, or nothing', (rule, points) => {
    expect(fitRule(points.map(([send, fee]) => ({ send, fee })))).toEqual(rule);
  });
});

describe('learnExample', () => {
  const forms = { numbers: 'number', timestamps: undefined, absent: 'null' } as const;
  const sample = (json: unknown, send: bigint, purpose: string | null): Sample => ({
    json,
    facts: {
      amount: { kind: 'amount', micro: -send },
      purpose: { kind: 'text', text: purpose },
      payment_id: { kind: 'text', text: `pay_${send}` },
    },
  });

  it('replaces known values with their sign and form, and keeps constants', () => {
    const samples = [
      sample(
        {
          id: 'pay_10000000',
          cents: 1000,
          text: '-10.00',
          kind: 'PAYOUT',
          note: 'Refund of pay_10000000',
          memo: null,
        },
        10_000_000n,
        null,
      ),
      sample(
        {
          id: 'pay_20000000',
          cents: 2000,
          text: '-20.00',
          kind: 'PAYOUT',
          note: 'Refund of pay_20000000',
          memo: 'INV-1',
        },
        20_000_000n,
        'INV-1',
      ),
    ];
    const { example, unexplained } = learnExample(samples, forms);
    expect(unexplained).toEqual([]);
    expect(example).toEqual({
      id: '{payment_id}',
      cents: '{amount positive cents}',
      text: '{amount fixed}',
      kind: 'PAYOUT',
      note: 'Refund of {payment_id}',
      memo: '{purpose}',
    });
    expect(samples.flatMap((one) => listDifferences(example, one, forms))).toEqual([]);
  });

  it('leaves out what differs and is no known value, and never keeps it as a constant', () => {
    const samples = [
      sample({ trace: 'a1', amount: -10 }, 10_000_000n, null),
      sample({ trace: 'b2', amount: -20 }, 20_000_000n, null),
    ];
    expect(learnExample(samples, forms)).toEqual({ example: { amount: '{amount}' }, unexplained: ['trace'] });
    expect(learnExample(samples.slice(0, 1), forms)).toEqual({
      example: { amount: '{amount}' },
      unexplained: ['trace'],
    });
  });
});
