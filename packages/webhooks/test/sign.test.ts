import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsedBodies, unusableSecrets } from './bad-signatures.ts';
import { implementations } from './implementations.ts';
import { encode, rejectionOf, SECRET, signByOracle, writeEvent } from './samples.ts';

describe.each(implementations)('sign over $name', ({ sign }) => {
  it('encodes text as UTF-8', async () => {
    const text = writeEvent({ note: 'José 株式会社 👩‍👩‍👧 e\u0301' });
    expect(await sign(text, SECRET)).toBe(await signByOracle(encode(text)));
    expect(await sign(text, 'gehëim🔑')).toBe(await signByOracle(text, encode('gehëim🔑')));
  });

  it('signs only the bytes of a view, at any offset', async () => {
    const { buffer } = encode('..{"a":1}..');
    const expected = await signByOracle('{"a":1}');
    expect(await sign(new Uint8Array(buffer, 2, 7), SECRET)).toBe(expected);
    expect(await sign(new DataView(buffer, 2, 7), SECRET)).toBe(expected);
    expect(await sign(buffer.slice(2, 9), SECRET)).toBe(expected);
    expect(await sign('{"a":1}', encode(`..${SECRET}..`).subarray(2, -2))).toBe(expected);
  });

  it('returns the signature of WebCrypto for any body and secret', async () => {
    const usableSecret = fc
      .uint8Array({ minLength: 1, maxLength: 200 })
      .filter((key) => key.some((b) => b > 0));
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), usableSecret, async (body, secret) => {
        expect(await sign(body, secret)).toBe(await signByOracle(body, secret));
      }),
    );
  });

  it.each(unusableSecrets)('rejects %s as the secret', async (_, secret) => {
    expect(await rejectionOf(sign('{}', secret as never))).toMatchObject({ code: 'unusable_secret' });
  });

  it.each(parsedBodies)('rejects %s as the body with a remedy', async (_, body) => {
    expect(await rejectionOf(sign(body as never, SECRET))).toMatchObject({
      code: 'body_not_raw',
      message: expect.stringMatching(/express\.raw\(.*await request\.text\(\)/) as unknown,
    });
  });
});
