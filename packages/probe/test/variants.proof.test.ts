import { createHash } from 'node:crypto';
import { documentedPayment, documentedQuote } from '@service/internal';
import { createMock, type Mock, type ProfileChoice } from '@service/mock';
import { type Finding, probe, type ProbeOptions } from '@service/probe';
import { describe, expect, it } from 'vitest';
import { learnKeyForm } from '../src/templates/ids.ts';

/** Probes a mock that plays a profile, and returns the values that were found. */
async function probeMock(
  profile: ProfileChoice,
  options: ProbeOptions = {},
  wrap: (fetch: Mock['fetch'], now: () => number) => Mock['fetch'] = (fetch) => fetch,
): Promise<Readonly<Record<string, unknown>>> {
  const {
    account,
    baseUrl,
    fetch: send,
    sandbox,
  } = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 7, profile });
  const fetch = wrap(send, () => sandbox.clock.now().getTime());
  const clock: ProbeOptions['clock'] = {
    now: () => sandbox.clock.now().getTime(),
    sleep: (milliseconds) => sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`),
  };
  const { findings } = await probe({ apiKey: account.testKey, baseUrl, fetch }, { clock, ...options });
  const values = findings.map((each: Finding) => [each.setting, 'value' in each ? each.value : each.state]);
  return Object.fromEntries(values) as Record<string, unknown>;
}

describe('probe, random ids', () => {
  it.each([
    [['a1b2c3d4e5f60718', '0011223344556677'], '{key hex=16}'],
    [['req-ABCDEFGHIJKL', 'req-MNOPQRSTUVWX'], 'req-{key upper=12}'],
    [
      [
        '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
        '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
      ],
      '00-{key hex=32}-{key hex=16}-00',
    ],
    [['/ids/cc850139928472366338', '/ids/e3b0c44298fc1c149afb'], '/ids/{key hex=20}'],
    [['REF047017018281547', 'REF150732607672110'], 'REF{key digits=15}'],
  ])('learns the form of %j', (ids, form) => {
    expect(learnKeyForm(ids, { name: 'key' })).toBe(form);
  });

  it('finds the forms of ids and times of every response, also in errors', async () => {
    const profile = {
      headers: { all: { 'x-correlation-id': '{request_id uuid}' } },
      beside: { all: { meta: { trace: 'tr_{request_id hex=20}', served_at: '{now digits=3 zone=Z}' } } },
      errorShape: {
        body: {
          success: false,
          mode: '{mode}',
          error: { type: '{type}', message: '{message}', path: '{path}', method: '{method}' },
          timestamp: '{now digits=3 zone=Z}',
        },
      },
    } as const;
    expect(await probeMock(profile)).toMatchObject(profile);
  });

  it('finds the id and the end of a quote', async () => {
    const quoteShape = {
      id: 'quo_{request_id lower=20}',
      ...documentedQuote,
      expires_at: '{now plus=30s digits=3 zone=Z}',
    };
    expect((await probeMock({ quoteShape }))['quoteShape']).toEqual(quoteShape);
  });
});

describe('probe, fees of other currencies', () => {
  it.each<NonNullable<ProfileChoice['fees']>>([
    [
      { from: 'EUR', percent: '0.45', minimum: '1.75' },
      { from: 'GBP', percent: '0.45', minimum: '1.50', maximum: '120' },
      { percent: '0.45', minimum: '2' },
    ],
    [{ to: 'CHF', percent: '0.9' }, { to: 'NGN', percent: '0.9' }, { percent: '0.5' }],
  ])('finds %j', async (...fees) => {
    const profile: ProfileChoice = {
      fees: fees.map((rule) => ({ ...rule, mode: 'onTop' as const })),
      currencies: ['CHF', 'EUR', 'GBP', 'NGN', 'USD'],
    };
    const found = await probeMock(profile, { payments: false });
    const mocks = [profile, { ...profile, fees: found['fees'] } as ProfileChoice].map((each) =>
      createMock({ profile: each }),
    );
    for (const from_currency of ['USD', 'EUR', 'GBP'])
      for (const to_currency of ['USD', 'EUR', 'GBP', 'CHF', 'NGN'])
        for (const amount of [25, 333.33, 48_000]) {
          const quotes = mocks.map(async ({ fetch, baseUrl, account }) => {
            const response = await fetch(`${baseUrl}/quotes`, {
              method: 'POST',
              headers: { authorization: `Bearer ${account.testKey}`, 'content-type': 'application/json' },
              body: JSON.stringify({ from_currency, to_currency, amount }),
            });
            return (await response.json()) as { readonly data: { readonly fee: number } };
          });
          const [original, played] = await Promise.all(quotes);
          expect([from_currency, to_currency, amount, played?.data.fee]).toEqual([
            from_currency,
            to_currency,
            amount,
            original?.data.fee,
          ]);
        }
  });
});

describe('probe, headers', () => {
  it('finds headers beside one whose value no template of its operation has', async () => {
    const profile = { headers: { all: { pragma: 'no-cache' } } };
    const { headers } = await probeMock(profile, {}, (send) => async (input, init) => {
      const { url, method } = new Request(input, init);
      const response = await send(input, init);
      if (method === 'POST' && url.endsWith('/payments')) {
        const id = response.headers.get('x-request-id') ?? '';
        response.headers.set('x-operation', createHash('sha256').update(id).digest('hex').slice(0, 20));
      }
      return response;
    });
    expect(headers).toMatchObject(profile.headers);
    expect(JSON.stringify(headers)).not.toContain('x-operation');
  });

  it('leaves out the id of the first request in the headers of a replay', async () => {
    const ids = new Map<string, string>();
    const { headers } = await probeMock({}, {}, (send) => async (input, init) => {
      const key = new Request(input, init).headers.get('idempotency-key');
      const response = await send(input, init);
      const id = response.headers.get('x-request-id');
      if (key === null || id === null) return response;
      if (response.headers.has('idempotent-replayed'))
        response.headers.set('original-request', ids.get(key) ?? '');
      else ids.set(key, id);
      return response;
    });
    expect([ids.size > 0, JSON.stringify(headers)]).toEqual([
      true,
      expect.not.stringContaining('original-request'),
    ]);
  });

  it('finds the time of a reset with decimals', async () => {
    const { headers } = await probeMock({}, {}, (send, now) => async (input, init) => {
      const response = await send(input, init);
      response.headers.set('x-ratelimit-reset', String((now() + 1_007) / 1_000));
      return response;
    });
    expect(headers).toMatchObject({ all: { 'x-ratelimit-reset': '{reset_at unix}' } });
  });
});

describe('probe, rate limits', () => {
  it('finds the headers of a limit that counts one method', async () => {
    const headers = {
      all: {
        Pragma: 'no-cache',
        'RateLimit-Limit': '{limit}',
        'RateLimit-Remaining': '{remaining}',
        'RateLimit-Reset': '{reset}',
      },
    };
    const rateLimit = { requests: 500, window: '30s', method: 'POST' } as const;
    const found = await probeMock({ headers, rateLimit });
    expect(found).toMatchObject({ rateLimit });
    expect(lowercase((found['headers'] as typeof headers).all)).toEqual(lowercase(headers.all));
  });

  it('plays the remaining requests of a limit that is not stated', async () => {
    const headers = { all: { 'x-rate-limit-remaining': '{remaining}' } };
    const found = await probeMock({ headers, rateLimit: { requests: 40, window: '1s', method: 'POST' } });
    expect(found).toMatchObject({ headers, rateLimit: { requests: 40, window: '1s', method: 'POST' } });
  });
});

const lowercase = (headers: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]));

describe('probe, empty texts', () => {
  it.each(['absent', 'keep'] as const)(
    'finds that they are accepted if absent ones are empty too: %s',
    async (empty) => {
      const { texts } = await probeMock({ texts: { empty }, absent: 'empty' });
      expect(texts).toMatchObject({ empty: 'absent' });
    },
  );
});

describe('probe, refusals for a low balance', () => {
  it('tells them from others although they contain the balance as a number', async () => {
    const body = {
      error: { type: '{type}', details: { currency: '{from_currency}', available: '{available}' } },
    };
    const { texts } = await probeMock({ refusals: { insufficient_funds: { body } }, texts: { limit: 90 } });
    expect(texts).toMatchObject({ limit: 90, empty: 'reject' });
  });
});

describe('probe, the rounding of fees', () => {
  it.each([
    ['half_even', 'down', { rounding: 'half_even' }],
    ['half_up', 'down', { rounding: 'half_up' }],
    ['half_even', 'half_up', { rounding: 'half_even' }],
    ['half_up', 'half_even', { rounding: 'half_up' }],
    ['half_even', 'half_even', {}],
  ] as const)('finds %s beside %s of the received amount', async (rounding, usual, own) => {
    const rule = { percent: '0.75', minimum: '1.00', maximum: '75.00' };
    const { fees } = await probeMock({ fees: [{ ...rule, rounding }], rounding: usual }, { payments: false });
    expect(fees).toEqual([{ ...rule, ...own }]);
  });
});

describe('probe, rows of failed payments', () => {
  it('finds the row that returns the money by its amount, and the status of fees', async () => {
    const rest = { ref: '{payment_id}', currency: '{currency}', at: '{created_at}' };
    const transactionShape = [
      {
        of: 'payment',
        row: { id: '{number}', code: 'PAY', state: '{status}', amount: '{send_amount cents}', ...rest },
      },
      {
        of: 'fee',
        row: { id: '{number}', code: 'COST', state: '{status}', amount: '{amount abs cents}', ...rest },
      },
      {
        of: 'refund',
        row: { id: '{number}', code: 'BACK', state: '{status}', amount: '{amount cents}', ...rest },
      },
    ] as const;
    const { transactionShape: found } = await probeMock({
      transactionShape,
      fees: [{ percent: '0.5', mode: 'onTop' }],
    });
    expect(found).toHaveLength(3);
    expect(found).toEqual(expect.arrayContaining([...transactionShape]));
  });

  it('finds the amount of a refund without the fee, and the texts that only returned payments have not', async () => {
    const rest = { id: '{id}', ref: '{payment_id}', currency: '{currency}', at: '{created_at}' };
    const ofRefund = {
      amount: '{amount}',
      code: { '{case previous_status}': { processing: 'REVERSAL' } },
      ...rest,
    };
    const code = { '{case previous_status}': { processing: 'REVERSAL', completed: 'RETURN' } };
    const { transactionShape } = await probeMock({
      refund: 'lessFee',
      transactionShape: [
        { of: 'payment', row: { amount: '{amount abs}', code: 'PAYOUT', ...rest } },
        { of: 'refund', row: { ...ofRefund, code } },
      ],
    });
    expect(transactionShape).toContainEqual({ of: 'refund', row: ofRefund });
  });

  it('finds a text in place of an absent purpose, and the reference of a payment in its rows', async () => {
    const text = { '{case purpose}': { null: 'Payout {payment_id upper=16}', else: '{reference}' } };
    const rest = { payment: '{payment_id}', amount: '{amount}', at: '{created_at}' };
    const row = { id: '{id}', ref: '{payment_id upper=16}', text, ...rest };
    const { transactionShape } = await probeMock({ transactionShape: [{ of: 'payment', row }] });
    // A row has the purpose as its reference.
    const shown = JSON.parse(JSON.stringify(transactionShape).replace('{purpose}', '{reference}')) as unknown;
    expect(shown).toEqual([{ of: 'payment', row }]);
  });

  it('finds the reason of failures after the same status', async () => {
    const reason = (completed: object): object => ({
      '{case status}': {
        failed: { '{case previous_status}': { processing: 'account_closed', ...completed } },
        else: null,
      },
    });
    const shape = (completed: object) => ({ ...documentedPayment, reason: reason(completed) }) as const;
    const { paymentShape } = await probeMock({ paymentShape: shape({ completed: 'returned' }) as never });
    expect(paymentShape).toEqual(shape({}));
  });
});

describe('probe, days', () => {
  it('finds the day of a quote, and days after the create of a payment', async () => {
    const quoteShape = { ...documentedQuote, reference_date: '{now day}' };
    const paymentShape = { ...documentedPayment, estimated_arrival: '{created_at plus=2d day}' };
    const profile = { timestamps: { digits: 0, zone: '+13:00' }, quoteShape, paymentShape };
    expect(await probeMock(profile)).toMatchObject(profile);
  });

  it('finds no template of a day that nothing explains', async () => {
    const quoteShape = { ...documentedQuote, valid_until: '2025-12-31' };
    expect((await probeMock({ quoteShape }))['quoteShape']).toEqual(documentedQuote);
  });
});

describe('probe, pages after the last one', () => {
  it('finds the flag that only they have', async () => {
    const empty = { '{case count}': { 0: true, else: false } };
    const pagination = { data: { items: ['{each rows}', '{row}'], page: '{page}', empty } } as const;
    expect(await probeMock({ pagination })).toMatchObject({ pagination });
  });
});

describe('probe, fields of payments and quotes', () => {
  it('finds codes of a few characters, and numbers that count', async () => {
    const codes = { code: '{id upper=8}', number: 'PAY-{id digits=4}' };
    const paymentShape = { ...documentedPayment, ...codes };
    const row = { id: '{id}', journal: '{payment_id upper=8}', payment: '{payment_id}', amount: '{amount}' };
    const transactionShape = [{ of: 'payment', row: { ...row, at: '{created_at}' } }] as const;
    const ids = { transaction: 'trx_{base62 10}' };
    expect(await probeMock({ paymentShape, transactionShape, ids })).toMatchObject({
      paymentShape,
      transactionShape,
      ids,
    });
  });

  it('finds a word that depends on the currency, also in payments, which all have the same one', async () => {
    const scheme = { '{case to_currency}': { EUR: 'SEPA', GBP: 'FASTER_PAYMENTS', else: 'SWIFT' } };
    const quoteShape = { ...documentedQuote, scheme };
    const found = await probeMock({ quoteShape, paymentShape: { ...documentedPayment, scheme } });
    const { scheme: ofPayments } = found['paymentShape'] as typeof quoteShape;
    const { scheme: ofQuotes } = found['quoteShape'] as typeof quoteShape;
    const { EUR, GBP, else: others, ...rest } = ofQuotes['{case to_currency}'];
    expect([EUR ?? others, GBP, JSON.stringify({ others, rest })]).toEqual([
      'SEPA',
      'FASTER_PAYMENTS',
      expect.stringContaining('SWIFT'),
    ]);
    expect(ofPayments).toEqual(ofQuotes);
  });

  it('finds pairs of currencies, net amounts and links with the origin of the service', async () => {
    const quoteShape = { ...documentedQuote, pair: '{from_currency}{to_currency}', exchanged: '{net}' };
    const paymentShape = { ...documentedPayment, self: '{origin}/api/v1/payments/{id}' };
    const headers = { createPayment: { location: '{origin}/api/v1/payments/{id}' } };
    const profile = { quoteShape, paymentShape, headers };
    const found = await probeMock(profile, {}, (send) => (input, init) => {
      const request = new Request(input, init);
      request.headers.set('host', 'localhost:4010');
      return send(request);
    });
    expect(found).toMatchObject(profile);
  });

  it('freezes no number that differs between payments', async () => {
    let count = 0;
    const { paymentShape } = await probeMock({}, {}, (send) => async (input, init) => {
      const response = await send(input, init);
      const text = await response.text();
      if (!/"beneficiary"/.test(text)) return new Response(text, response);
      const body = JSON.parse(text) as { data: { id: string } };
      const score = (count += 1) % 7;
      return new Response(JSON.stringify({ ...body, data: { ...body.data, score } }), response);
    });
    expect(JSON.stringify(paymentShape)).not.toContain('score');
  });
});

describe('probe, balances with open payments', () => {
  it.each([
    [{ pending: '{open}', posted: '{total}' }],
    [{ available: '{available}', held: { value: '{reserved}', unit: '{currency}' } }],
  ])('finds the fields %j of a wallet', async (fields) => {
    const debitAt = { status: 'open' in fields || 'pending' in fields ? 'create' : 'completed' } as const;
    const wallet = { currency: '{currency}', balance: '{balance}', ...fields };
    const balanceShape = { balances: ['{each wallets}', wallet] } as const;
    expect(await probeMock({ balanceShape, debitAt })).toMatchObject({ balanceShape });
  });
});

describe('probe, links and numbers of pages', () => {
  it('finds links to the first and the last page that these pages do not have', async () => {
    const Link = '<{other_first_url}>; rel="first", <{next_url}>; rel="next", <{other_last_url}>; rel="last"';
    const pagination = { data: ['{each rows}', '{row}'], headers: { Link } } as const;
    const { pagination: found } = await probeMock({ pagination });
    const link = (found as { headers: Record<string, string> }).headers['Link'] ?? '';
    expect(link.split(', ').toSorted()).toEqual(Link.split(', ').toSorted());
  });

  it.each([0, 1] as const)('finds a parameter that a field of the page names, from %i on', async (first) => {
    const data = { items: ['{each rows}', '{row}'], page_number: '{page}', more: '{has_more}' } as const;
    const pagination = { data, parameter: 'page_number', ...(first === 0 && { first }) };
    expect(await probeMock({ pagination })).toMatchObject({ pagination });
  });
});
