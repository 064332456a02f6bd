import { describe, expect, it, vi } from 'vitest';
import type { ReceiverOptions, Secrets } from '@service/webhooks/edge';
import { implementations } from './implementations.ts';
import { setUpReceiver } from './receiver-setup.ts';
import { OTHER_SECRET, rejectionOf, SECRET, signByOracle, writeEvent } from './samples.ts';

const throwVault = (): never => {
  throw new Error('vault');
};

describe.each(implementations)('a secrets function over $name', ({ createReceiver }) => {
  function setUp(secrets: ReceiverOptions['secrets']) {
    const { send: deliver, fallback, failures } = setUpReceiver(createReceiver, { secrets, on: {} });
    const send = (id: string, headers?: Record<string, string>) =>
      deliver(writeEvent({ data: { id: `pay_test_${id}` } }), headers);
    return { send, handler: fallback, errors: failures };
  }

  it.each([
    ['a value', () => SECRET],
    ['a promise', async () => SECRET],
  ])('that returns %s is called once, at the first request', async (_, read) => {
    const secrets = vi.fn<() => Secrets | Promise<Secrets>>(read);
    const { send, handler, errors } = setUp(secrets);
    expect(secrets).not.toHaveBeenCalled();
    expect(await Promise.all([send('1'), send('2')])).toEqual([200, 200]);
    expect(await send('3')).toBe(200);
    expect(secrets).toHaveBeenCalledOnce();
    expect(handler).toHaveBeenCalledTimes(3);
    expect(errors).toEqual([]);
  });

  const failing = {
    code: 'unusable_secret',
    message: 'The secrets function failed.',
    cause: { message: 'vault' },
  };
  it.each<[string, () => unknown, object]>([
    ['returns undefined', () => undefined, { code: 'unusable_secret' }],
    ['returns an empty string', () => '', { code: 'unusable_secret' }],
    ['returns an invalid id', () => [{ id: '', value: SECRET }], { code: 'invalid_options' }],
    ['throws', throwVault, failing],
    ['rejects', async () => throwVault(), failing],
  ])('that %s causes a 500, is reported and is called again', async (_, read, error) => {
    const secrets = vi
      .fn<() => Secrets>()
      .mockImplementationOnce(read as () => Secrets)
      .mockReturnValue(SECRET);
    const { send, handler, errors } = setUp(secrets);
    expect(await send('1')).toBe(500);
    expect(errors).toMatchObject([error]);
    expect(handler).not.toHaveBeenCalled();
    expect(await send('1')).toBe(200);
    expect(handler).toHaveBeenCalledOnce();
  });
});

describe.each(implementations)('a secrets function of a verifier over $name', (implementation) => {
  const { createVerifier, verifyEvent, name } = implementation;
  const body = writeEvent();

  it('is called once, at the first use, and again after a failure', async () => {
    const secrets = vi
      .fn<() => Secrets>()
      .mockImplementationOnce(throwVault)
      .mockReturnValueOnce(' ')
      .mockReturnValue([OTHER_SECRET, SECRET]);
    const { verify, safeVerify } = createVerifier({ secrets });
    expect(secrets).not.toHaveBeenCalled();
    const signature = await signByOracle(body);
    expect(await rejectionOf(safeVerify(body, signature))).toMatchObject({
      code: 'unusable_secret',
      message: 'The secrets function failed.',
      cause: { message: 'vault' },
    });
    expect(await rejectionOf(safeVerify(body, signature))).toMatchObject({ code: 'unusable_secret' });
    expect(await safeVerify(body, signature)).toMatchObject({ ok: true, secretId: 'secret-2' });
    expect(await verify(body, signature)).toMatchObject({ event: 'payment.completed' });
    expect(secrets).toHaveBeenCalledTimes(3);
  });

  it('serves verifyEvent, which has no options', async () => {
    const headers = { 'X-Service-Signature': await signByOracle(body) };
    for (const secrets of [SECRET, [OTHER_SECRET, SECRET], () => SECRET, { id: 'one', value: SECRET }])
      expect(await verifyEvent(body, headers, secrets)).toMatchObject({ event: 'payment.completed' });
    expect(await rejectionOf(verifyEvent(body, headers, OTHER_SECRET))).toMatchObject({
      code: 'signature_mismatch',
    });
    for (const secrets of [undefined, '', () => undefined])
      expect(await rejectionOf(verifyEvent(body, headers, secrets))).toMatchObject({
        code: 'unusable_secret',
        message: expect.stringMatching(/SERVICE_WEBHOOK_SECRET.*`service-cli dev`/) as unknown,
      });
  });

  it.each<[string, () => Promise<Secrets>]>([
    ['resolves', async () => SECRET],
    ['rejects', () => Promise.reject(new Error('vault'))],
  ])('may return a promise only at the edge: one that %s', async (end, read) => {
    const secrets = read as unknown as () => Secrets;
    const signature = await signByOracle(body);
    const isAccepted = name === 'WebCrypto' && end === 'resolves';
    const { verify, safeVerify } = createVerifier({ secrets });
    for (const use of [
      verify,
      safeVerify,
      (...[raw, source]: Parameters<typeof verify>) => verifyEvent(raw, source, secrets),
    ])
      expect(
        await use(body, signature).then(
          () => 'accepted',
          ({ code }) => code as unknown,
        ),
      ).toBe(isAccepted ? 'accepted' : 'unusable_secret');
  });

  it.each<[string, () => unknown]>([
    ['a promise', async () => SECRET],
    ['a promise that rejects', () => Promise.reject(new Error('vault'))],
    ['a list with a promise', () => [OTHER_SECRET, Promise.resolve(SECRET)]],
    ['a named secret with a promise', () => ({ id: 'one', value: Promise.resolve(SECRET) })],
  ])('teaches where %s may be used', async (_, create) => {
    const signature = await signByOracle(body);
    const verify = async (): Promise<unknown> => verifyEvent(body, signature, create() as Secrets);
    expect(await rejectionOf(verify())).toMatchObject({
      code: 'unusable_secret',
      message: 'The secret is a promise. Use a receiver or /edge.',
    });
  });
});
