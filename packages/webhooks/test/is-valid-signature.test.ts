import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BAD_SIGNATURES, PARSED_BODIES, UNUSABLE_SECRETS } from './bad-signatures.ts';
import { implementations } from './implementations.ts';
import { encode, OTHER_SECRET, rejectionOf, SECRET, signByOracle, writeEvent } from './samples.ts';

const body = writeEvent();
const genuine = await signByOracle(body);

describe.each(implementations)('isValidSignature over $name', ({ createVerifier, isValidSignature }) => {
  it('accepts a genuine signature', async () => {
    expect(await isValidSignature(body, genuine, SECRET)).toBe(true);
    expect(await isValidSignature(encode(body), genuine, encode(SECRET))).toBe(true);
  });

  it('accepts a genuine signature of an empty body', async () => {
    expect(await isValidSignature('', await signByOracle(''), SECRET)).toBe(true);
  });

  it.each(BAD_SIGNATURES)('refuses %s', async (_, mutate) => {
    const signature = mutate(genuine) as never;
    expect(await isValidSignature(body, signature, SECRET)).toBe(false);
    expect(await createVerifier({ secrets: SECRET }).isValid(body, signature)).toBe(false);
  });

  it('refuses a signature with any one of its characters changed', async () => {
    for (let index = 0; index < genuine.length; index += 1) {
      const digit = ((Number.parseInt(genuine[index]!, 16) + 1) % 16).toString(16);
      const changed = genuine.slice(0, index) + digit + genuine.slice(index + 1);
      expect(await isValidSignature(body, changed, SECRET), `character ${index}`).toBe(false);
    }
  });

  it('refuses a body with any one of its bytes changed', async () => {
    for (let index = 0; index < body.length; index += 1) {
      const bytes = encode(body);
      bytes[index]! ^= 1;
      expect(await isValidSignature(bytes, genuine, SECRET), `byte ${index}`).toBe(false);
    }
  });

  it.each([
    ['re-serialised', JSON.stringify(JSON.parse(body), null, 2)],
    ['followed by a newline', `${body}\n`],
    ['led by a byte order mark', `\ufeff${body}`],
    ['without its last byte', body.slice(0, -1)],
    ['empty', ''],
  ])('refuses a body that is %s', async (_, changed) => {
    expect(await isValidSignature(changed, genuine, SECRET)).toBe(false);
  });

  it('refuses a body that only decodes to the same text', async () => {
    const signature = await signByOracle(new Uint8Array([0xff]));
    expect(await isValidSignature(new Uint8Array([0xfe]), signature, SECRET)).toBe(false);
    expect(await isValidSignature('\ufffd', signature, SECRET)).toBe(false);
  });

  it('refuses the signature of another secret', async () => {
    expect(await isValidSignature(body, await signByOracle(body, OTHER_SECRET), SECRET)).toBe(false);
    expect(await isValidSignature(body, genuine, `${SECRET}\n`)).toBe(false);
  });

  it('refuses any text that is not the signature, and never throws', async () => {
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

  it('refuses any value that is not a string, and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (value) => {
        expect(await isValidSignature(body, value as never, SECRET)).toBe(false);
      }),
    );
  });

  it.each(UNUSABLE_SECRETS)('throws for %s as the secret, even under a bad signature', async (_, secret) => {
    expect(await rejectionOf(isValidSignature(body, 'bad', secret as never))).toMatchObject({
      code: 'unusable_secret',
    });
  });

  it.each(PARSED_BODIES)('throws for %s as the body', async (_, parsed) => {
    expect(await rejectionOf(isValidSignature(parsed as never, genuine, SECRET))).toMatchObject({
      code: 'body_not_raw',
    });
  });
});
