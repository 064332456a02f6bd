import { describe, expect, it } from 'vitest';
import file from '@service/webhooks/vectors.json' with { type: 'json' };
import { implementations, signedCodes } from './implementations.ts';
import { fromBase64 } from './samples.ts';

describe('the vector file', () => {
  it('has valid and malformed signatures, and those of RFC 4231', () => {
    expect(file.vectors.filter(({ title }) => title.startsWith('RFC 4231'))).toHaveLength(6);
    expect(file.vectors.filter(({ valid }) => valid).length).toBeGreaterThan(10);
    expect(file.vectors.filter(({ valid }) => !valid).length).toBeGreaterThan(50);
    expect(new Set(file.vectors.map(({ id }) => id)).size).toBe(file.count);
  });
});

describe.each(implementations)('the vector file over $name', (implementation) => {
  const { createVerifier, isValidSignature, sign } = implementation;
  it('is accepted exactly where it is valid', async () => {
    const readings = file.vectors.map(async ({ id, secret, body, signatures }) => {
      const [key, bytes] = [fromBase64(secret), fromBase64(body)];
      const one = signatures.length === 1 ? signatures[0] : signatures;
      const verifier = createVerifier({ secrets: key, onWarning: () => {} });
      const result = await verifier.safeVerify(bytes, { 'X-Service-Signature': signatures });
      const isSigned = result.ok || signedCodes.has(result.code);
      const isOwn = (await sign(bytes, key)) === one;
      return { id, isValid: await isValidSignature(bytes, one, key), isSigned, isOwn };
    });
    const expected = file.vectors.map(({ id, valid }) => ({
      id,
      isValid: valid,
      isSigned: valid,
      isOwn: valid,
    }));
    expect(await Promise.all(readings)).toEqual(expected);
    expect(expected).toHaveLength(file.count);
  });
});
