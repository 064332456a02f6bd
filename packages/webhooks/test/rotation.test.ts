import { describe, expect, it, vi } from 'vitest';
import type { WebhookWarning } from '@service/webhooks/edge';
import { implementations } from './implementations.ts';
import { encode, OTHER_SECRET, SECRET, signByOracle, thrownBy, writeEvent } from './samples.ts';

const body = writeEvent();
const genuine = await signByOracle(body);
const NOON = Date.parse('2026-01-31T12:00:00Z');

describe.each(implementations)('rotation over $name', ({ createVerifier }) => {
  it.each([
    ['a Date', new Date(NOON)],
    ['milliseconds', NOON],
    ['a timestamp', '2026-01-31T13:00:00+0100'],
  ])('expires a secret after notAfter as %s', async (_, notAfter) => {
    let time = NOON;
    const secrets = [
      { id: 'old', value: SECRET, notAfter },
      { id: 'new', value: OTHER_SECRET },
    ];
    const verifier = createVerifier({ secrets, now: () => time });
    expect(await verifier.safeVerify(body, genuine)).toMatchObject({ ok: true, secretId: 'old' });
    expect(await verifier.isValid(body, genuine)).toBe(true);
    time = NOON + 1;
    expect(await verifier.safeVerify(body, genuine)).toEqual({ ok: false, code: 'secret_expired' });
    expect(await verifier.isValid(body, genuine)).toBe(false);
    const renewed = await signByOracle(body, OTHER_SECRET);
    expect(await verifier.safeVerify(body, renewed)).toMatchObject({ ok: true, secretId: 'new' });
  });

  it('uses the latest notAfter of a secret that is listed twice', async () => {
    for (const notAfters of [
      [1, NOON],
      [NOON, 1],
    ] as const) {
      const secrets = notAfters.map((notAfter, index) => ({ id: `${index}`, value: SECRET, notAfter }));
      const verifier = createVerifier({ secrets, now: () => NOON });
      const secretId = String(notAfters.indexOf(NOON));
      expect(await verifier.safeVerify(body, genuine)).toMatchObject({ ok: true, secretId });
    }
  });

  it('accepts five secrets and rejects a sixth', async () => {
    const five = ['a', 'b', 'c', 'd', SECRET];
    expect(await createVerifier({ secrets: five }).safeVerify(body, genuine)).toMatchObject({
      secretId: 'secret-5',
    });
    expect(thrownBy(() => createVerifier({ secrets: [...five, 'f'] }))).toMatchObject({
      code: 'invalid_options',
      message: 'secrets must contain at most 5 secrets, not 6.',
    });
  });

  it.each(['tomorrow', '2026-01-31', '', Number.NaN, Infinity, null, true, {}, [], new Date(Number.NaN), 5n])(
    'rejects %s as notAfter',
    (notAfter) => {
      const secrets = [{ id: 'a', value: SECRET, notAfter: notAfter as never }];
      expect(thrownBy(() => createVerifier({ secrets }))).toMatchObject({ code: 'invalid_options' });
    },
  );

  it.each([
    ['a newline', `${SECRET}\n`],
    ['a carriage return and newline', `${SECRET}\r\n`],
    ['a newline in bytes', encode(`${SECRET}\n`)],
  ])('warns about %s at the end of a secret, and does not trim it', async (_, value) => {
    const onWarning = vi.fn<(warning: WebhookWarning) => void>();
    const verifier = createVerifier({ secrets: [OTHER_SECRET, { id: 'file', value }], onWarning });
    expect(onWarning.mock.calls).toEqual([
      [
        {
          code: 'secret_ends_in_newline',
          secretId: 'file',
          message: expect.stringMatching(/secret file ends in a line break/) as unknown,
        },
      ],
    ]);
    expect(JSON.stringify(onWarning.mock.calls)).not.toContain(SECRET);
    expect(await verifier.isValid(body, genuine)).toBe(false);
    expect(await verifier.isValid(body, await signByOracle(body, value as string))).toBe(true);
  });
});
