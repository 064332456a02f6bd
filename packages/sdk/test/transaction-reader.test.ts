import { describe, expect, it } from 'vitest';
import { createTransactionReader, type TransactionProfile } from '../src/entries/templates.ts';
import { rawAmount, type Transaction } from '../src/index.ts';
import { catchRejection, createStubClient, json } from './service.ts';

/** Reads rows with templates, and returns the transactions and the warnings. */
async function readRows(
  transactionShape: unknown,
  rows: string,
): Promise<{ transactions: readonly Transaction[]; warnings: string[] }> {
  const warnings: string[] = [];
  const text = `{"success":true,"mode":"test","data":{"transactions":${rows}}}`;
  const { client } = createStubClient(
    [new Response(text, { headers: { 'content-type': 'application/json' } })],
    {
      transactionReader: createTransactionReader({ transactionShape }),
      onWarning: ({ message }: { message: string }) => warnings.push(message),
    },
  );
  const { transactions } = await client.transactions.list();
  return { transactions, warnings };
}

const movement = { of: 'any', row: { no: '{number}', value: '{amount}' } };

describe('createTransactionReader', () => {
  it.each<[string, unknown, string, string, number]>([
    ['cents', '{amount cents}', '-123456', '-1234.56', -1234.56],
    ['few cents', '{amount cents}', '7', '0.07', 0.07],
    ['negative cents below one', '{amount cents}', '-7', '-0.07', -0.07],
    ['cents with a fraction', '{amount cents}', '123.5', '1.235', 1.235],
    ['text', '{amount text}', '"-10.50"', '-10.50', -10.5],
    ['a float tail', '{amount}', '916.6900000000001', '916.6900000000001', 916.69],
    ['an exponent', '{amount}', '1.5e2', '150', 150],
    ['zero', '{amount abs cents}', '0', '0.00', 0],
  ])('reads %s', async (_, value, shown, digits, amount) => {
    const { transactions } = await readRows([{ of: 'payment', row: { value } }], `[{"value":${shown}}]`);
    expect(transactions.map((row) => [rawAmount(row, 'amount'), row.amount])).toEqual([[digits, amount]]);
  });

  it.each([
    ['payment', '{amount abs}', -5],
    ['payment', '{amount negative}', -5],
    ['payment', '{debit}', -5],
    ['payment', '{send_amount}', -5],
    ['fee', '{amount abs}', -5],
    ['refund', '{amount negative}', 5],
    ['deposit', '{amount abs}', 5],
    ['adjustment', '{amount abs}', 5],
    ['any', '{amount abs}', 5],
  ])('signs the amount of a %s row with %s as %d', async (of, value, amount) => {
    const shown = value.includes('negative') ? -5 : 5;
    const { transactions } = await readRows([{ of, row: { value } }], `[{"value":${shown}}]`);
    expect(transactions.map((row) => row.amount)).toEqual([amount]);
  });

  it('keeps all digits of long numbers, and warns', async () => {
    const { transactions, warnings } = await readRows(
      [{ of: 'any', row: { no: '{number}', value: '{amount cents}' } }],
      '[{"no":9007199254740993,"value":123456789012345678}]',
    );
    expect(transactions.map((row) => [row.id, rawAmount(row, 'amount')])).toEqual([
      ['9007199254740993', '1234567890123456.78'],
    ]);
    expect(warnings.join()).toContain('1234567890123456.78, which a number cannot represent exactly');
  });

  it('selects the template of a row by its words, and claims no kind that does not fit', async () => {
    const templates = [
      { of: 'payment', row: { side: 'out', value: '{amount abs}' } },
      { of: 'refund', row: { side: 'in', value: '{amount abs}' } },
    ];
    const rows =
      '[{"side":"out","value":1},{"side":"in","value":2},{"side":"fee","value":3,"kind":"charge"}]';
    const { transactions } = await readRows(templates, rows);
    expect(transactions.map(({ type, amount }) => [type, amount])).toEqual([
      ['payment', -1],
      ['refund', 2],
      ['charge', 3],
    ]);
  });

  it('reads other fields as it does without a template', async () => {
    const { transactions } = await readRows(
      [movement],
      '[{"no":1,"value":-5,"state":"completed","posted_at":"2026-01-31T12:00:00Z","extra":{"a":1}}]',
    );
    expect(transactions).toEqual([
      {
        id: '1',
        no: 1,
        value: -5,
        amount: -5,
        state: 'completed',
        status: 'completed',
        posted_at: '2026-01-31T12:00:00Z',
        created_at: '2026-01-31T12:00:00Z',
        extra: { a: 1 },
      },
    ]);
  });

  it('leaves out a row without a readable amount, with a warning', async () => {
    const rows = '[{"no":1,"value":"one"},{"no":2,"value":null},{"no":3},7,{"no":4,"value":1}]';
    const { transactions, warnings } = await readRows([movement], rows);
    expect(transactions.map(({ id }) => id)).toEqual(['4']);
    expect(warnings).toEqual([
      'Left out 4 of 5 transactions of a page: data.transactions[0] fits no row template of the profile; data.transactions[1] fits no row template of the profile; data.transactions[2] fits no row template of the profile; and 1 more.',
    ]);
  });

  it('reports a page without the list of its template', async () => {
    const { client } = createStubClient([json({ success: true, mode: 'test', data: { transactions: [] } })], {
      transactionReader: createTransactionReader({
        pagination: { data: { feed: ['{each rows}', '{row}'] } },
      }),
    });
    expect(await catchRejection(client.transactions.list())).toMatchObject({
      name: 'UnreadableResponseError',
      message:
        'The response cannot be read: it has no list at `data.feed`, where the profile has the transactions.',
    });
  });

  it('reads fields that depend on the status of the payment', async () => {
    const text = { '{case purpose}': { null: 'Payment to {beneficiary_name}', else: '{purpose}' } };
    const amount = { '{case status}': { failed: { returned: '{amount}' } } };
    const row = {
      of: 'payment',
      row: { ref: '{payment_id}', status: '{status}', text, amount, sum: '{amount}' },
    };
    const { transactions } = await readRows(
      [row],
      `[{"ref":"pay_test_1","status":"failed","text":"Rent","amount":{"returned":-5},"sum":-5},
        {"ref":"pay_test_2","status":"completed","text":"Payment to Alder Ltd","sum":-6}]`,
    );
    expect(transactions).toMatchObject([
      { payment_id: 'pay_test_1', status: 'failed', reference: 'Rent', amount: -5 },
      { payment_id: 'pay_test_2', status: 'completed', reference: null, amount: -6 },
    ]);
  });

  it('follows pages that count from 0', async () => {
    const pages = [0, 1].map((number) =>
      json({ success: true, mode: 'test', data: { content: [{ id: `row-${number}` }], number, last: 1 } }),
    );
    const { client, requests } = createStubClient(pages, {
      transactionReader: createTransactionReader({
        transactionShape: [{ of: 'any', row: { id: '{id}' } }],
        pagination: {
          data: { content: ['{each rows}', '{row}'], number: '{page}', last: '{last_page}' },
          first: 0,
        },
      }),
    });
    const ids: unknown[] = [];
    for await (const { id } of client.transactions.list()) ids.push(id);
    expect(ids).toEqual(['row-0', 'row-1']);
    expect(requests.map(({ url }) => new URL(url).searchParams.get('page'))).toEqual(['0', '1']);
  });

  it('never sends the key to the host of a link', async () => {
    const page = {
      data: { feed: [{ id: 'a', amount: 1 }], forward: 'https://evil.example/steal?cursor=2&x=1#f' },
    };
    const { client, requests } = createStubClient([json({ success: true, mode: 'test', ...page })], {
      transactionReader: createTransactionReader({
        pagination: { data: { feed: ['{each rows}', '{row}'], forward: '{next_url}' } },
      }),
      onWarning: () => {},
    });
    const walk = async (): Promise<void> => {
      for await (const _ of client.transactions.list());
    };
    expect(await catchRejection(walk())).toMatchObject({ code: 'list_cannot_continue' });
    expect(requests.map(({ url }) => new URL(url).host)).toEqual(
      Array(requests.length).fill('localhost:4010'),
    );
    expect(requests[1]?.url).toContain('/transactions?page=1&cursor=2&x=1');
  });

  it('lists the settings that it reads from templates', () => {
    const page = { data: ['{each rows}', '{row}'] };
    expect(createTransactionReader({}).templates).toEqual([]);
    expect(createTransactionReader({ transactionShape: 'minimal', pagination: page }).templates).toEqual([
      'pagination',
    ]);
    expect(createTransactionReader({ transactionShape: [movement], fees: [] }).templates).toEqual([
      'transactionShape',
    ]);
  });

  it.each<[unknown, string]>([
    [undefined, 'The profile must be an object, such as the JSON of service-cli probe --save.'],
    [{ transactionShape: 'ful' }, 'transactionShape: "ful" is unknown. Did you mean "full"?'],
    [{ transactionShape: [] }, 'transactionShape must be full, minimal or a list of { of, row }.'],
    [{ transactionShape: [7] }, 'transactionShape[0] must be an object.'],
    [
      { transactionShape: [{ ...movement, rows: 1 }] },
      'transactionShape[0]: "rows" is unknown. Did you mean "row"?',
    ],
    [
      { transactionShape: [{ of: 'payments', row: {} }] },
      'transactionShape[0].of: "payments" is unknown. Did you mean "payment"?',
    ],
    [{ transactionShape: [movement, { of: 'any', row: 'x' }] }, 'transactionShape[1].row must be an object.'],
    [
      { transactionShape: [{ of: 'any', row: { a: { b: '{amunt}' } } }] },
      'transactionShape[0].row.a.b: {amunt} is no value here; there is id, status,',
    ],
    [
      { transactionShape: [{ of: 'any', row: { a: '{amount cent}' } }] },
      'transactionShape[0].row.a: {amount cent} has an unknown form; there is abs, negative, cents,',
    ],
    [{ pagination: { data: [], first: 2 } }, 'pagination.first must be 0 or 1.'],
    [{ pagination: { data: [], query: 'al' } }, 'pagination.query: "al" is unknown'],
    [{ pagination: 'pages' }, 'pagination: "pages" is unknown. Did you mean "page"?'],
    [{ pagination: {} }, 'pagination must contain the rows once, as ["{each rows}", "{row}"], not 0 times.'],
    [
      {
        pagination: {
          data: [
            ['{each rows}', '{row}'],
            ['{each rows}', '{row}'],
          ],
        },
      },
      'pagination must contain the rows once, as ["{each rows}", "{row}"], not 2 times.',
    ],
    [
      { pagination: { data: ['{each items}', '{row}'] } },
      'pagination.data[0]: {each items} repeats rows here',
    ],
    [
      { pagination: { data: ['{each rows}', '{row}'], by: 'token' } },
      'pagination.by: "token" is unknown. Use one of: page, cursor, offset.',
    ],
    [
      { pagination: { data: ['{each rows}', '{row}'], parameter: '' } },
      'pagination.parameter must be the name of a query parameter.',
    ],
    [{ pagination: { data: ['{each rows}', '{row}'], beside: 1 } }, 'pagination.beside must be an object.'],
    [
      { pagination: { data: ['{each rows}', '{row}'], headers: { Link: 1 } } },
      'pagination.headers.Link must be text.',
    ],
  ])('rejects %j', (profile, message) => {
    const create = (): unknown => createTransactionReader(profile as TransactionProfile);
    expect(create).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining(message) }),
    );
  });

  it('is the only value that a client accepts as transactionReader', () => {
    const message = 'transactionReader must be the result of createTransactionReader(profile)';
    expect(() => createStubClient([], { transactionReader: { transactionShape: [movement] } })).toThrow(
      message,
    );
  });
});
