import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { badSignatures, parsedBodies, unusableSecrets } from './bad-signatures.ts';
import { implementations } from './implementations.ts';
import { encode, OTHER_SECRET, rejectionOf, SECRET, signByOracle, writeEvent } from './samples.ts';

const body = writeEvent();
const genuine = await signByOracle(body);

describe.each(implementations)('isValidSignature over $name', ({ isValidSignature }) => {
  it('accepts a valid signature', async () => {
    expect(await isValidSignature(body, genuine, SECRET)).toBe(true);
    expect(await isValidSignature(encode(body), genuine, encode(SECRET))).toBe(true);
  });

  it('accepts a valid signature of an empty body', async () => {
    expect(await isValidSignature('', await signByOracle(''), SECRET)).toBe(true);
  });

  it.each(badSignatures)('rejects %s', async (_, mutate) => {
    const signature = mutate(genuine) as never;
    expect(await isValidSignature(body, signature, SECRET)).toBe(false);
  });

  it('rejects a signature with any single character changed', async () => {
    for (let index = 0; index < genuine.length; index += 1) {
      const digit = ((Number.parseInt(genuine[index]!, 16) + 1) % 16).toString(16);
      const changed = genuine.slice(0, index) + digit + genuine.slice(index + 1);
      expect(await isValidSignature(body, changed, SECRET), `character ${index}`).toBe(false);
    }
  });

  it('rejects a body with any single byte changed', async () => {
    for (let index = 0; index < body.length; index += 1) {
      const bytes = encode(body);
      bytes[index]! ^= 1;
      expect(await isValidSignature(bytes, genuine, SECRET), `byte ${index}`).toBe(false);
    }
  });

  it.each([
    ['reserialized', JSON.stringify(JSON.parse(body), null, 2)],
    ['followed by a newline', `${body}\n`],
    ['preceded by a byte order mark', `\ufeff${body}`],
    ['without its last byte', body.slice(0, -1)],
    ['empty', ''],
  ])('rejects a body that is %s', async (_, changed) => {
    expect(await isValidSignature(changed, genuine, SECRET)).toBe(false);
  });

  it('rejects other bytes that decode to the same text', async () => {
    const signature = await signByOracle(new Uint8Array([0xff]));
    expect(await isValidSignature(new Uint8Array([0xfe]), signature, SECRET)).toBe(false);
    expect(await isValidSignature('\ufffd', signature, SECRET)).toBe(false);
  });

  it('rejects the signature of another secret', async () => {
    expect(await isValidSignature(body, await signByOracle(body, OTHER_SECRET), SECRET)).toBe(false);
    expect(await isValidSignature(body, genuine, `${SECRET}\n`)).toBe(false);
  });

  it('rejects any text except the signature, and never throws', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
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
