import { describe, expect, it } from 'vitest';
import { SIGNATURE_HEADER } from '@service/webhooks/edge';
import type { SignatureSource } from '@service/webhooks/edge';
import { parsedBodies, unusableSecrets } from './bad-signatures.ts';
import { implementations } from './implementations.ts';
import { encode, OTHER_SECRET, rejectionOf, SECRET, signByOracle, thrownBy, writeEvent } from './samples.ts';

const body = writeEvent();
const genuine = await signByOracle(body);
const other = await signByOracle(body, OTHER_SECRET);

describe.each(implementations)('createVerifier over $name', ({ createVerifier }) => {
  const verifier = createVerifier({ secrets: SECRET });

  it('returns the event of a valid request', async () => {
    const event = await verifier.verify(body, genuine);
    expect(event).toEqual({ ...JSON.parse(body), kind: 'payment', source: 'webhook' });
    expect(await verifier.safeVerify(body, genuine)).toEqual({ ok: true, event, secretId: 'secret-1' });
  });

  const sources: readonly (readonly [string, SignatureSource])[] = [
    ['the header value', genuine],
    ['a list of one value', [genuine]],
    ['Headers', new Headers({ 'X-Service-Signature': genuine })],
    ['an object in documented case', { 'X-Service-Signature': genuine }],
    ['an object in lower case', { 'x-service-signature': genuine, host: 'shop.example' }],
    ['an object in upper case', { 'X-SERVICE-SIGNATURE': genuine }],
    ['an object of lists', { 'x-service-signature': [genuine], 'set-cookie': ['a', 'b'] }],
    ['an object with another undefined header', { 'x-service-signature': genuine, cookie: undefined }],
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
  const invalidSources: readonly (readonly [string, unknown, string])[] = [
    ['no value', undefined, 'missing_signature'],
    ['null', null, 'missing_signature'],
    ['an empty list', [], 'missing_signature'],
    ['Headers without it', new Headers({ signature: genuine }), 'missing_signature'],
    ['an object without it', { signature: genuine }, 'missing_signature'],
    ['an object with an undefined value', { 'x-service-signature': undefined }, 'missing_signature'],
    [
      'an object that only inherits it',
      Object.create({ 'x-service-signature': genuine }),
      'missing_signature',
    ],
    ['a list of two', [genuine, other], 'ambiguous_signature'],
    ['an object with a list of two', { 'x-service-signature': [genuine, other] }, 'ambiguous_signature'],
    [
      'an object with it in two cases',
      { 'x-service-signature': genuine, 'X-Service-Signature': other },
      'ambiguous_signature',
    ],
    ['Headers with two', twice, 'ambiguous_signature'],
    ['two joined by a bare comma', `${genuine},${genuine}`, 'ambiguous_signature'],
    ['a valid one and a trailing comma', `${genuine},`, 'ambiguous_signature'],
    ['a leading comma and a valid one', `, ${genuine}`, 'ambiguous_signature'],
    [
      'a header within a header',
      { 'x-service-signature': { 'x-service-signature': genuine } },
      'malformed_signature',
    ],
  ];
  it.each(invalidSources)('rejects %s', async (_, source, code) => {
    expect(await verifier.safeVerify(body, source as never)).toEqual({ ok: false, code });
    expect(await rejectionOf(verifier.verify(body, source as never))).toMatchObject({
      name: 'WebhookError',
      code,
    });
  });

  it.each(parsedBodies)('rejects %s as the body', async (_, parsed) => {
    expect(await verifier.safeVerify(parsed as never, genuine)).toEqual({ ok: false, code: 'body_not_raw' });
  });

  it('verifies before parsing: a forged body is a mismatch, whatever its content', async () => {
    for (const forged of ['', 'not json', '[]', '\ufeff{}', new Uint8Array([0xff])]) {
      expect(await verifier.safeVerify(forged, genuine)).toEqual({ ok: false, code: 'signature_mismatch' });
    }
  });

  it('accepts any of several secrets and returns the id of the matching one', async () => {
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
    const single = createVerifier({ secrets: { id: '2026-01', value: SECRET } });
    expect(await single.safeVerify(body, genuine)).toMatchObject({ ok: true, secretId: '2026-01' });
  });

  it('copies the secrets', async () => {
    const secret = encode(SECRET);
    const list: (Uint8Array | string)[] = [secret];
    const verifierOfCopy = createVerifier({ secrets: list });
    secret.fill(1);
    list[0] = OTHER_SECRET;
    expect(await verifierOfCopy.safeVerify(body, genuine)).toMatchObject({ ok: true });
  });

  it.each(unusableSecrets)('throws at construction for %s as the secret', (_, secret) => {
    for (const secrets of [secret, [SECRET, secret], [{ id: 'a', value: secret }]]) {
      expect(thrownBy(() => createVerifier({ secrets: secrets as never }))).toMatchObject({
        code: 'unusable_secret',
      });
    }
  });

  it.each([
    ['no options', undefined, /The options must be an object\./],
    ['a secret instead of options', SECRET, /The options must be an object\./],
    [
      'an unknown option',
      { secrets: SECRET, tolerance: 300 },
      /^"tolerance" is unknown\. Use one of: secrets, mode, .*\.$/,
    ],
    ['an unknown mode', { secrets: SECRET, mode: 'sandbox' }, /mode`? must be 'test' or 'live'\./],
    [
      'a secret with an unknown option',
      { secrets: [SECRET, { id: 'old', value: OTHER_SECRET, expires: '2026-01-31' }] },
      /^"expires" is unknown\. Use one of: id, value, notAfter\.$/,
    ],
    [
      'an id that is not a string',
      { secrets: [{ id: 1, value: 'x' }] },
      /id`? must be a string that is not empty/,
    ],
  ])('throws at construction for %s', (_, options, message) => {
    expect(thrownBy(() => createVerifier(options as never))).toMatchObject({
      code: 'invalid_options',
      message: expect.stringMatching(message) as unknown,
    });
  });

  it('throws at construction for a list of secrets that is empty or has a hole', () => {
    const sparse: string[] = [];
    sparse[1] = SECRET;
    for (const secrets of [sparse, []])
      expect(thrownBy(() => createVerifier({ secrets }))).toMatchObject({ code: 'unusable_secret' });
  });

  it('verifies and parses the bytes of the call, also if the caller changes its buffer afterwards', async () => {
    const bytes = encode(body);
    const pending = verifier.verify(bytes, genuine);
    bytes.set(encode(body.replace('1000.5', '9999.9')));
    expect(await pending).toMatchObject({ data: { send_amount: 1000.5 } });
  });
});
