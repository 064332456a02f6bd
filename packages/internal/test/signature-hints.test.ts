import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findSignatureHints, type RejectedWebhook } from '../src/signature-hints.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const body = '{"event":"payment.completed","data":{"purpose":"José"}}';
const sign = (text: string, secret: string = SECRET): string =>
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
    const formats: readonly (readonly [hint: string, signature: string])[] = [
      ['upper_case_signature', genuine.toUpperCase()],
      ['prefixed_signature', `sha256=${genuine}`],
    ];
    for (const [hint, signature] of formats)
      expect(await codesOf({ signature }, 'malformed_signature')).toEqual([hint]);
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
