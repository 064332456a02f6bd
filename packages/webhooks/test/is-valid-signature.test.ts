import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsedBodies, unusableSecrets } from './bad-signatures.ts';
import { implementations } from './implementations.ts';
import { encode, rejectionOf, SECRET, signByOracle, writeEvent } from './samples.ts';

const body = writeEvent();
const genuine = await signByOracle(body);

describe.each(implementations)('isValidSignature over $name', ({ isValidSignature }) => {
  it('rejects a body with any single byte changed', async () => {
    for (let index = 0; index < body.length; index += 1) {
      const bytes = encode(body);
      bytes[index]! ^= 1;
      expect(await isValidSignature(bytes, genuine, SECRET), `byte ${index}`).toBe(false);
    }
  });

  it('rejects any text except the signature, and never throws', async () => {
    const texts = fc.oneof(
      fc.array(fc.nat({ max: 0xffff })).map((units) => String.fromCharCode(...units)),
      fc.string({ unit: fc.constantFrom(...Array.from('0123456789abcdef')), minLength: 64, maxLength: 64 }),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await isValidSignature(body, text, SECRET)).toBe(text === genuine);
      }),
    );
  });

  it('rejects any value that is not a string, and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (value) => {
        expect(await isValidSignature(body, value as never, SECRET)).toBe(false);
      }),
    );
  });

  it.each(unusableSecrets)(
    'throws for %s as the secret, also with an invalid signature',
    async (_, secret) => {
      expect(await rejectionOf(isValidSignature(body, 'bad', secret as never))).toMatchObject({
        code: 'unusable_secret',
      });
    },
  );

  it.each(parsedBodies)('throws for %s as the body', async (_, parsed) => {
    expect(await rejectionOf(isValidSignature(parsed as never, genuine, SECRET))).toMatchObject({
      code: 'body_not_raw',
    });
  });
});
