import { describe, expect, it } from 'vitest';
import { isWebhookError, SIGNATURE_HEADER } from '@service/webhooks/edge';
import type { SignatureSource } from '@service/webhooks/edge';
import { BAD_SIGNATURES, PARSED_BODIES, UNUSABLE_SECRETS } from './bad-signatures.ts';
import { implementations } from './implementations.ts';
import { encode, OTHER_SECRET, rejectionOf, SECRET, signByOracle, thrownBy, writeEvent } from './samples.ts';

const body = writeEvent();
const genuine = await signByOracle(body);
const other = await signByOracle(body, OTHER_SECRET);

describe.each(implementations)('createVerifier over $name', ({ createVerifier }) => {
  const verifier = createVerifier({ secrets: SECRET });

  it('returns the event of a genuine request', async () => {
    const event = await verifier.verify(body, genuine);
    expect(event).toEqual({ ...JSON.parse(body), kind: 'payment' });
    expect(await verifier.safeVerify(body, genuine)).toEqual({ ok: true, event, secretId: 'secret-1' });
    expect(await verifier.isValid(body, genuine)).toBe(true);
  });

  const sources: readonly (readonly [string, SignatureSource])[] = [
    ['the header value', genuine],
    ['a list of one value', [genuine]],
    ['Headers', new Headers({ 'X-Service-Signature': genuine })],
    ['an object in the case of the spec', { 'X-Service-Signature': genuine }],
    ['an object in lower case', { 'x-service-signature': genuine, host: 'shop.example' }],
    ['an object in upper case', { 'X-SERVICE-SIGNATURE': genuine }],
    ['an object of lists', { 'x-service-signature': [genuine], 'set-cookie': ['a', 'b'] }],
    ['an object with another unset header', { 'x-service-signature': genuine, cookie: undefined }],
    ['a Map of lower-case names', new Map([['x-service-signature', genuine]])],
    [
      'an object without a prototype',
      Object.assign(Object.create(null), { 'x-service-signature': genuine }) as object as SignatureSource,
    ],
  ];
  it.each(sources)('reads the signature from %s', async (_, source) => {
    expect(await verifier.safeVerify(body, source)).toMatchObject({ ok: true });
  });

  const twice = new Headers({ [SIGNATURE_HEADER]: genuine });
  twice.append(SIGNATURE_HEADER, other);
  const refusedSources: readonly (readonly [string, unknown, string])[] = [
    ['no value', undefined, 'missing_signature'],
    ['null', null, 'missing_signature'],
    ['an empty list', [], 'missing_signature'],
    ['Headers without it', new Headers({ signature: genuine }), 'missing_signature'],
    ['an object without it', { signature: genuine }, 'missing_signature'],
    ['an object where it is unset', { 'x-service-signature': undefined }, 'missing_signature'],
    [
      'an object that only inherits it',
      Object.create({ 'x-service-signature': genuine }),
      'missing_signature',
    ],
    ['a list of two', [genuine, other], 'ambiguous_signature'],
    ['a list of two equal ones', [genuine, genuine], 'ambiguous_signature'],
    ['an object with a list of two', { 'x-service-signature': [genuine, other] }, 'ambiguous_signature'],
    [
      'an object with it in two cases',
      { 'x-service-signature': genuine, 'X-Service-Signature': other },
      'ambiguous_signature',
    ],
    ['Headers with two', twice, 'ambiguous_signature'],
    ['two joined by a comma', `${other}, ${genuine}`, 'ambiguous_signature'],
    ['two joined by a bare comma', `${genuine},${genuine}`, 'ambiguous_signature'],
    ['a genuine one joined to nothing', `${genuine},`, 'ambiguous_signature'],
    ['nothing joined to a genuine one', `, ${genuine}`, 'ambiguous_signature'],
    ['an empty value', '', 'malformed_signature'],
    ['an upper-case value', genuine.toUpperCase(), 'malformed_signature'],
    ['a number', { 'x-service-signature': 1 }, 'malformed_signature'],
    [
      'a header within a header',
      { 'x-service-signature': { 'x-service-signature': genuine } },
      'malformed_signature',
    ],
    ['a megabyte', 'f'.repeat(1 << 20), 'malformed_signature'],
    ['a value of another secret', other, 'signature_mismatch'],
  ];
  it.each(refusedSources)('refuses %s', async (_, source, code) => {
    expect(await verifier.safeVerify(body, source as never)).toEqual({ ok: false, code });
    expect(await rejectionOf(verifier.verify(body, source as never))).toMatchObject({
      name: 'WebhookError',
      code,
    });
  });

  it.each(BAD_SIGNATURES)('refuses %s by a code of the signature', async (_, mutate) => {
    const result = await verifier.safeVerify(body, { [SIGNATURE_HEADER]: mutate(genuine) as never });
    const code = result.ok ? 'accepted' : result.code;
    // A list of one value is how some frameworks hand over a single header.
    expect(code).toMatch(
      Array.isArray(mutate(genuine)) ? /accepted|ambiguous/ : /_signature$|^signature_mismatch$/,
    );
  });

  it.each(PARSED_BODIES)('refuses %s as the body by a code', async (_, parsed) => {
    expect(await verifier.safeVerify(parsed as never, genuine)).toEqual({ ok: false, code: 'body_not_raw' });
  });

  it('verifies before it reads: a forged body is a mismatch, whatever it holds', async () => {
    for (const forged of ['', 'not json', '[]', '\ufeff{}', new Uint8Array([0xff])]) {
      expect(await verifier.safeVerify(forged, genuine)).toEqual({ ok: false, code: 'signature_mismatch' });
    }
  });

  it('accepts any of several secrets and names the one that fits', async () => {
    const rotating = createVerifier({
      secrets: [
        { id: 'old', value: SECRET },
        { id: 'new', value: encode(OTHER_SECRET) },
      ],
    });
    expect(await rotating.safeVerify(body, genuine)).toMatchObject({ ok: true, secretId: 'old' });
    expect(await rotating.safeVerify(body, await signByOracle(body, OTHER_SECRET))).toMatchObject({
      secretId: 'new',
    });
    expect(await rotating.safeVerify(body, await signByOracle(body, 'third'))).toMatchObject({ ok: false });
    const unnamed = createVerifier({ secrets: [OTHER_SECRET, SECRET] });
    expect(await unnamed.safeVerify(body, genuine)).toMatchObject({ secretId: 'secret-2' });
  });

  it('takes a single secret by name', async () => {
    const named = createVerifier({ secrets: { id: '2026-01', value: SECRET } });
    expect(await named.safeVerify(body, genuine)).toMatchObject({ ok: true, secretId: '2026-01' });
  });

  it('keeps its own copy of the secrets', async () => {
    const secret = encode(SECRET);
    const list: (Uint8Array | string)[] = [secret];
    const owner = createVerifier({ secrets: list });
    secret.fill(1);
    list[0] = OTHER_SECRET;
    expect(await owner.isValid(body, genuine)).toBe(true);
  });

  it.each(UNUSABLE_SECRETS)('throws at construction for %s as the secret', (_, secret) => {
    for (const secrets of [secret, [SECRET, secret], [{ id: 'a', value: secret }]]) {
      expect(thrownBy(() => createVerifier({ secrets: secrets as never }))).toMatchObject({
        code: 'unusable_secret',
      });
    }
  });

  it.each([
    ['no options', undefined, /takes the options .*, not undefined/],
    ['a secret in place of options', SECRET, /takes the options .*, not string/],
    [
      'an unknown option',
      { secrets: SECRET, tolerance: 300 },
      /takes the options \{ secrets, mode, .* \}, not tolerance/,
    ],
    ['an unknown mode', { secrets: SECRET, mode: 'sandbox' }, /test or live/],
    [
      'two secrets of one id',
      {
        secrets: [
          { id: 'a', value: 'x' },
          { id: 'a', value: 'y' },
        ],
      },
      /share an id/,
    ],
    [
      'a secret with an option that it does not have',
      { secrets: [SECRET, { id: 'old', value: OTHER_SECRET, expires: '2026-01-31' }] },
      /^A secret takes the options \{ id, value, notAfter \}, not expires\.$/,
    ],
    ['an id that is no text', { secrets: [{ id: 1, value: 'x' }] }, /id of a secret/],
  ])('throws at construction for %s', (_, options, message) => {
    expect(thrownBy(() => createVerifier(options as never))).toMatchObject({
      code: 'invalid_options',
      message: expect.stringMatching(message) as unknown,
    });
  });

  it('throws at construction for a list of secrets with a hole', () => {
    const secrets: string[] = [];
    secrets[1] = SECRET;
    expect(thrownBy(() => createVerifier({ secrets }))).toMatchObject({ code: 'unusable_secret' });
  });

  it('throws at construction for an empty list of secrets', () => {
    expect(thrownBy(() => createVerifier({ secrets: [] }))).toMatchObject({ code: 'unusable_secret' });
  });

  it('throws errors that its guard knows', async () => {
    expect(isWebhookError(await rejectionOf(verifier.verify(body, null)))).toBe(true);
  });

  it('judges and reads the bytes of the call, whatever the caller does to its buffer afterwards', async () => {
    const bytes = encode(body);
    const pending = verifier.verify(bytes, genuine);
    bytes.set(encode(body.replace('1000.5', '9999.9')));
    expect(await pending).toMatchObject({ data: { send_amount: 1000.5 } });
  });

  it('answers calls that run side by side each for itself', async () => {
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) => verifier.isValid(body, index % 2 === 0 ? genuine : other)),
    );
    expect(results).toEqual(Array.from({ length: 50 }, (_, index) => index % 2 === 0));
  });
});
