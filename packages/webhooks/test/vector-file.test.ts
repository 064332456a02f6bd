import { describe, expect, it } from 'vitest';
import file from '@service/webhooks/vectors.json' with { type: 'json' };
import { implementations } from './implementations.ts';

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

describe.each(implementations)('the vector file over $name', ({ createVerifier, isValidSignature }) => {
  it('has count vectors', () => {
    expect(file.vectors).toHaveLength(file.count);
  });

  it.each(file.vectors)('has $id, $title: $valid', async ({ secret, body, signatures, valid }) => {
    const key = fromBase64(secret);
    const bytes = fromBase64(body);
    const one = signatures.length === 1 ? signatures[0] : signatures;
    expect(await isValidSignature(bytes, one, key)).toBe(valid);
    const verifier = createVerifier({ secrets: key, onWarning: () => {} });
    const result = await verifier.safeVerify(bytes, { 'X-Service-Signature': signatures });
    const isSigned =
      result.ok ||
      ['invalid_utf8', 'invalid_json', 'invalid_event', 'unreadable_event'].includes(result.code);
    expect(isSigned).toBe(valid);
  });
});
