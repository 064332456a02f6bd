import { createHmac, timingSafeEqual } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import * as node from '@service/webhooks';
import { createAsyncVerifier } from '@service/webhooks/edge';
import { SECRET, signByOracle, writeEvent } from './samples.ts';

const body = writeEvent();
const signature = await signByOracle(body);

vi.mock(import('node:crypto'), { spy: true });

describe('the comparison over node:crypto', () => {
  it.each([
    ['the first', 0],
    ['the last', 2],
  ])('compares every secret in constant time, also if %s one matches', async (_, index) => {
    const secrets = ['a', 'b', 'c'];
    const { verify } = node.createVerifier({ secrets });
    vi.clearAllMocks();
    verify(body, await signByOracle(body, secrets[index]));
    expect(vi.mocked(createHmac)).toHaveBeenCalledTimes(3);
    expect(vi.mocked(timingSafeEqual)).toHaveBeenCalledTimes(3);
  });
});

describe('the key over WebCrypto', () => {
  it('signs with every secret, also if the first one matches', async () => {
    const signWith = vi.spyOn(crypto.subtle, 'sign');
    const { verifyAsync: verify } = createAsyncVerifier({ secrets: [SECRET, 'another'] });
    await verify(body, signature);
    expect(signWith).toHaveBeenCalledTimes(2);
  });

  it('is imported once per secret, at the first use', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey');
    const { verifyAsync: verify } = createAsyncVerifier({ secrets: [SECRET, 'another'] });
    expect(importKey).not.toHaveBeenCalled();
    await Promise.all(Array.from({ length: 10 }, () => verify(body, signature)));
    await verify(body, signature);
    expect(importKey).toHaveBeenCalledTimes(2);
  });
});
