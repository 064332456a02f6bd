import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findSignatureHints, type RejectedWebhook } from '../src/signature-hints.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const body = '{"event":"payment.completed","data":{"purpose":"José"}}';
const sign = (text: string, secret: string | Uint8Array = SECRET): string =>
  createHmac('sha256', secret).update(text).digest('hex');

async function codesOf(
  given: Partial<Omit<RejectedWebhook, 'error'>>,
  code = 'signature_mismatch',
): Promise<readonly string[]> {
  const error = { code, message: 'data.send_amount of payment.completed is not as documented' };
  const hints = await findSignatureHints({ error, body, signature: undefined, secret: SECRET, ...given });
  return hints.map((hint) => hint.code);
}

describe('findSignatureHints', () => {
  it.each<[hint: string, raw: string, signedBody: string, secret?: string]>([
    ['re_serialised_body', JSON.stringify(JSON.parse(body)), JSON.stringify(JSON.parse(body), null, 2)],
    ['re_serialised_body', JSON.stringify(JSON.parse(body), null, 2), body],
    ['byte_order_mark', `\ufeff${body}`, body],
    ['byte_order_mark', body, `\ufeff${body}`],
    ['line_break_in_body', `${body}\n`, body],
    ['line_break_in_body', body, `${body}\r\n`],
    ['line_break_in_secret', body, body, `${SECRET}\n`],
    ['empty_body', '', body],
    ['unknown_cause', body.replace('José', 'Jose'), body],
    ['unknown_cause', body, body, 'a third secret'],
  ])('returns %s', async (hint, raw, signedBody, secret) => {
    expect(await codesOf({ body: raw, signature: sign(signedBody, secret) })).toEqual([hint]);
    const bytes = new TextEncoder().encode(raw);
    expect(await codesOf({ body: bytes, signature: sign(signedBody, secret) })).toEqual([hint]);
  });

  it('returns causes in the format of a signature', async () => {
    const genuine = sign(body);
    const base64 = Buffer.from(genuine, 'hex').toString('base64');
    const formats: readonly (readonly [hint: string, signature: string])[] = [
      ['upper_case_signature', genuine.toUpperCase()],
      ['prefixed_signature', `sha256=${genuine}`],
      ['space_around_signature', ` ${genuine}`],
      ['base64_signature', base64],
      ['other_hash', 'ab'.repeat(64)],
    ];
    for (const [hint, signature] of formats)
      expect(await codesOf({ signature }, 'malformed_signature')).toEqual([hint]);
  });

  it('returns a decoded secret, swapped arguments and a body that was read as latin1', async () => {
    expect(await codesOf({ signature: sign(body, Buffer.from(SECRET, 'hex')) })).toContain('encoded_secret');
    expect(await codesOf({ signature: sign(SECRET, body) })).toContain('swapped_arguments');
    const swapped = { body: sign(body), signature: body };
    expect(await codesOf(swapped, 'malformed_signature')).toContain('swapped_arguments');
    const latin1 = Buffer.from(body).toString('latin1');
    expect(await codesOf({ body: latin1, signature: sign(body) })).toContain('wrong_charset');
  });

  it('returns the field of a signed event that was refused', async () => {
    const error = { code: 'unreadable_event', message: 'data.send_amount is not as documented' };
    const hints = await findSignatureHints({ error, body, signature: sign(body), secret: SECRET });
    expect(hints).toMatchObject([{ code: 'refused_event', message: expect.stringContaining('send_amount') }]);
  });

  it('returns nothing if the code explains itself', async () => {
    expect(await codesOf({}, 'missing_signature')).toEqual([]);
    const signature = `${sign(body)}, ${sign(body)}`;
    expect(await codesOf({ signature }, 'ambiguous_signature')).toEqual([]);
  });

  it('does not reveal body, signature or secret', async () => {
    const signature = sign(body, 'another secret');
    const error = { code: 'signature_mismatch', message: 'no match' };
    const output = JSON.stringify(await findSignatureHints({ error, body, signature, secret: SECRET }));
    for (const hidden of ['José', signature, SECRET]) expect(output).not.toContain(hidden);
  });
});
