import { describe, expect, it, vi } from 'vitest';
import { createVerifier } from '@service/webhooks/edge';
import { isEqual } from '../src/hmac.web.ts';
import { SECRET, signByOracle, writeEvent } from './samples.ts';

describe('the comparison over WebCrypto', () => {
  const signature = signByOracle('');

  it.each([
    ['itself', signature, true],
    ['a prefix of it', signature.slice(0, 63), false],
    ['nothing', '', false],
    ['a text that begins with it', `${signature}0`, false],
    ['a text that differs at the start', `g${signature.slice(1)}`, false],
    ['a text that differs at the end', `${signature.slice(0, 63)}g`, false],
  ])('compares a signature to %s', (_, other, expected) => {
    expect(isEqual(signature, other)).toBe(expected);
    expect(isEqual(other, signature)).toBe(expected);
  });
});

describe('the key over WebCrypto', () => {
  it('is imported once per secret, at the first use', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey');
    const { isValid } = createVerifier({ secrets: [SECRET, 'another'] });
    expect(importKey).not.toHaveBeenCalled();
    const body = writeEvent();
    await Promise.all(Array.from({ length: 10 }, () => isValid(body, signByOracle(body))));
    await isValid(body, signByOracle(body));
    expect(importKey).toHaveBeenCalledTimes(2);
  });
});
