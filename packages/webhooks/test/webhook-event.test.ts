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

  it.each([...'1e3|1,000.00| 1|1.|.5||0x10|NaN|Infinity|+1|١'.split('|'), null, true, [], {}])(
    'rejects %j as an amount',
    async (amount) => {
      expect(await verifyBody(writeEvent({ data: { send_amount: amount } }))).toBe('unreadable_event');
      expect(await verifyBody(writeEvent({ data: { receive_amount: amount } }))).toBe('unreadable_event');
    },
  );

  it('rejects a number that is too large', async () => {
    expect(await verifyBody(writeEvent().replace('1000.5', '1e400'))).toBe('unreadable_event');
  });

  // packages/internal/test/iso-time.test.ts tests all forms.
  it.each(['2026-01-31T12:00:00.123456-05:30', '2026-01-31 12:00:00,5+00', '20260131T120000Z'])(
    'accepts the timestamp %s and keeps its text',
    async (created_at) => {
      expect(await read(writeEvent({ created_at }))).toMatchObject({ kind: 'payment', created_at });
    },
  );

  it.each([
    ['a status that differs from the name', { data: { status: 'failed' } }],
    ['an unknown status under a known name', { data: { status: 'cancelled' } }],
    ['no status', { data: { status: undefined } }],
    ['an id of the other mode', { data: { id: 'pay_live_4Zs81kQ0vYw2' } }],
    ['an id without its unique part', { data: { id: 'pay_test_' } }],
    ['an id of another form', { data: { id: 'txn_test_1' } }],
    ['an id that is not a string', { data: { id: 7 } }],
    ['an unknown mode', { data: { mode: 'sandbox', id: 'pay_sandbox_1' } }],
    ['a currency that is not a string', { data: { to_currency: null } }],
  ])('rejects %s', async (_, parts) => {
    expect(await verifyBody(writeEvent(parts))).toBe('unreadable_event');
  });

  it.each([
    ['an empty name', { event: '' }],
    ['a name that is not a string', { event: ['payment.completed'] }],
    ['no name', { event: undefined }],
  ])('is invalid with %s', async (_, parts) => {
    expect(await verifyBody(writeEvent(parts))).toBe('invalid_event');
  });

  it.each(['null', '42', '"payment.completed"', '[]', '{}', 'true'])('rejects the JSON %s', async (body) => {
    expect(await verifyBody(body)).toBe('invalid_event');
  });

  it.each(['null', '[]', '"x"'])('rejects data that is %s', async (data) => {
    const body = `{"event":"payment.completed","created_at":"2026-01-31T12:00:00Z","data":${data}}`;
    expect(await verifyBody(body)).toBe('unreadable_event');
  });

  it.each([
    ['no text', ''],
    ['half an object', '{"event":'],
    ['a byte order mark only', '\ufeff'],
    ['two byte order marks', `\ufeff\ufeff${writeEvent()}`],
    ['a byte order mark at the end', `${writeEvent()}\ufeff`],
    ['form fields', 'event=payment.completed'],
    ['two objects', '{}{}'],
    ['brackets nested a hundred thousand deep', '['.repeat(100_000)],
  ])('rejects %s as JSON', async (_, body) => {
    expect(await verifyBody(body)).toBe('invalid_json');
  });

  it.each([
    ['a stray byte', [0x22, 0xff, 0x22]],
    ['a cut sequence', [0x22, 0xc3]],
    ['an overlong sequence', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('rejects %s as UTF-8', async (_, bytes) => {
    expect(await verifyBody(new Uint8Array(bytes))).toBe('invalid_utf8');
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
