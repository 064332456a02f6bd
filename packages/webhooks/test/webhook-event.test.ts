import { describe, expect, it } from 'vitest';
import { PAYMENT_STATUSES } from '../src/event.ts';
import { implementations } from './implementations.ts';
import { SECRET, signByOracle, writeEvent } from './samples.ts';

describe.each(implementations)('the event of a verified body over $name', ({ createVerifier }) => {
  const { verify, safeVerify } = createVerifier({ secrets: SECRET });
  const read = async (body: string | Uint8Array<ArrayBuffer>) => verify(body, await signByOracle(body));
  const verifyBody = async (body: string | Uint8Array<ArrayBuffer>) => {
    const result = await safeVerify(body, await signByOracle(body));
    return result.ok ? result.event.kind : result.code;
  };

  it.each(PAYMENT_STATUSES)('can be payment.%s', async (status) => {
    const event = await read(writeEvent({ event: `payment.${status}`, data: { status } }));
    expect(event).toMatchObject({ kind: 'payment', event: `payment.${status}`, data: { status } });
  });

  it.each([
    ['numbers', 1000, 0.1],
    ['numbers with many decimals', 0.30000000000000004, 916.6899999999999],
    ['decimal strings', '1000.00', '0.10'],
    ['zero', 0, '0'],
    ['large decimal strings', '999999999.99', '1594736249983.97'],
  ])('has amounts as sent: %s', async (_, send_amount, receive_amount) => {
    expect(await read(writeEvent({ data: { send_amount, receive_amount } }))).toMatchObject({
      data: { send_amount, receive_amount },
    });
  });

  // packages/internal/test/iso-time.test.ts tests all forms.
  it.each(['2026-01-31T12:00:00.123456-05:30', '2026-01-31 12:00:00,5+00', '20260131T120000Z'])(
    'accepts the timestamp %s and keeps its text',
    async (created_at) => {
      expect(await read(writeEvent({ created_at }))).toMatchObject({ kind: 'payment', created_at });
    },
  );

  const invalid: Readonly<Record<string, readonly (string | Uint8Array<ArrayBuffer>)[]>> = {
    unreadable_event: [
      ...[...'1e3|1,000.00| 1|1.|.5||0x10|NaN|Infinity|+1|١'.split('|'), null, true, [], {}].flatMap(
        (amount) => [
          writeEvent({ data: { send_amount: amount } }),
          writeEvent({ data: { receive_amount: amount } }),
        ],
      ),
      writeEvent().replace('1000.5', '1e400'),
      ...[
        { status: 'failed' },
        { status: 'cancelled' },
        { status: undefined },
        { id: 'pay_live_4Zs81kQ0vYw2' },
        { id: 'pay_test_' },
        { id: 'txn_test_1' },
        { id: 7 },
        { mode: 'sandbox', id: 'pay_sandbox_1' },
        { to_currency: null },
      ].map((data) => writeEvent({ data })),
      ...['null', '[]', '"x"'].map(
        (data) => `{"event":"payment.completed","created_at":"2026-01-31T12:00:00Z","data":${data}}`,
      ),
    ],
    invalid_event: [
      ...['', ['payment.completed'], undefined].map((event) => writeEvent({ event })),
      'null',
      '42',
      '"payment.completed"',
      '[]',
      '{}',
      'true',
    ],
    invalid_json: [
      '',
      '{"event":',
      '\ufeff',
      `\ufeff\ufeff${writeEvent()}`,
      `${writeEvent()}\ufeff`,
      'event=payment.completed',
      '{}{}',
      '['.repeat(100_000),
    ],
    // A stray byte, a cut sequence, an overlong sequence, an encoded surrogate, and UTF-16.
    invalid_utf8: [
      [0x22, 0xff, 0x22],
      [0x22, 0xc3],
      [0x22, 0xc0, 0xaf, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00],
    ].map((bytes) => new Uint8Array(bytes)),
  };
  it.each(Object.entries(invalid))('is rejected as %s', async (code, bodies) => {
    const results = await Promise.all(
      bodies.map(async (body) => [String(body).slice(0, 300), await verifyBody(body)]),
    );
    expect(results.filter(([, result]) => result !== code)).toEqual([]);
  });

  it('is read after a byte order mark, which is part of the signed bytes', async () => {
    expect(await read(`\ufeff${writeEvent()}`)).toEqual(await read(writeEvent()));
  });

  it.each([
    'payment.cancelled',
    'payment.',
    'payment.Completed',
    'completed',
    'wallet.credited',
    '__proto__',
    'constructor',
    'toString',
  ])('accepts the unknown event %s', async (name) => {
    const body = JSON.stringify({ event: name, extra: 1 });
    expect(await read(body)).toEqual({ kind: 'unknown', source: 'webhook', event: name, extra: 1 });
  });

  it('keeps unknown fields', async () => {
    const event = await read(
      writeEvent({ delivery: 3, data: { fee: '0.50', beneficiary: { name: 'José' } } }),
    );
    expect(event).toMatchObject({
      kind: 'payment',
      delivery: 3,
      data: { fee: '0.50', beneficiary: { name: 'José' } },
    });
  });

  it('ignores fields named kind and source', async () => {
    expect(await read(writeEvent({ source: 'read' }))).toMatchObject({ source: 'webhook' });
    expect(await read(writeEvent({ kind: 'unknown' }))).toMatchObject({ kind: 'payment' });
    expect(await read('{"event":"x","kind":"payment"}')).toMatchObject({ kind: 'unknown' });
  });

  it('treats __proto__ as an ordinary field', async () => {
    const poison =
      '"__proto__":{"status":"completed","polluted":true},"constructor":{"prototype":{"polluted":true}}';
    const event = await read(writeEvent().replace('"data":{', `${poison},"data":{${poison},`));
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    expect(event).not.toHaveProperty('polluted');
    expect({}).not.toHaveProperty('polluted');
    const inherited = writeEvent({ data: { status: undefined } }).replace('"data":{', `"data":{${poison},`);
    expect(await verifyBody(inherited)).toBe('unreadable_event');
  });

  it('accepts a deeply nested unknown field', async () => {
    const nested = '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000);
    expect(await verifyBody(writeEvent().replace('"data":{', `"data":{"extra":${nested},`))).toBe('payment');
  });

  it.each([
    ['payment', 'of that mode', writeEvent({ data: { mode: 'live', id: 'pay_live_1' } })],
    ['mode_mismatch', 'of the other mode', writeEvent()],
    ['mode_mismatch', 'of the other mode that is not documented', writeEvent({ event: 'payment.cancelled' })],
    ['mode_mismatch', 'of the other mode with a wrong field', writeEvent({ data: { send_amount: null } })],
    ['unknown', 'that is unknown, without a mode', '{"event":"service.notice"}'],
  ])('is %s with the option mode for an event %s', async (expected, _, body) => {
    const live = createVerifier({ secrets: SECRET, mode: 'live' });
    const result = await live.safeVerify(body, await signByOracle(body));
    expect(result.ok ? result.event.kind : result.code).toBe(expected);
    expect(await live.safeVerify(body, '0'.repeat(64))).toEqual({ ok: false, code: 'signature_mismatch' });
  });
});
