import { describe, expect, it, vi } from 'vitest';
import type { WebhookWarning } from '@service/webhooks/edge';
import { implementations } from './implementations.ts';
import { encode, fromHex, OTHER_SECRET, SECRET, signByOracle, thrownBy, writeEvent } from './samples.ts';

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
    time = NOON + 1;
    expect(await verifier.safeVerify(body, genuine)).toEqual({ ok: false, code: 'secret_expired' });
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

  it.each(['tomorrow', '2026-01-31', '', Number.NaN, Infinity, null, true, {}, [], new Date(Number.NaN), 5n])(
    'rejects %s as notAfter',
    (notAfter) => {
      const secrets = { id: 'a', value: SECRET, notAfter: notAfter as never };
      expect(thrownBy(() => createVerifier({ secrets }))).toMatchObject({ code: 'invalid_options' });
    },
  );

  it.each([
    ['a newline', `${SECRET}\n`],
    ['a carriage return and newline', `${SECRET}\r\n`],
    ['a newline in bytes', encode(`${SECRET}\n`)],
    ['a byte order mark', `\ufeff${SECRET}`],
    ['a byte order mark in bytes', encode(`\ufeff${SECRET}`)],
    ['a space', ` ${SECRET}`],
    ['a tab', `${SECRET}\t`],
    ['a line break at the start', `\n${SECRET}`],
    ['a no-break space', `${SECRET}\u00a0`],
    ['a no-break space inside', `a\u00a0${SECRET}`],
    ['a zero-width space', `${SECRET}\u200b`],
    ['a line break inside', `a\r\n${SECRET}`],
    ['quotes', `"${SECRET}"`],
    ['one quote', `${SECRET}'`],
    ['typographic quotes', `\u201c${SECRET}\u201d`],
  ])('warns once about %s in a secret, and does not remove it', async (_, value) => {
    const onWarning = vi.fn<(warning: WebhookWarning) => void>();
    const verifier = createVerifier({ secrets: [OTHER_SECRET, { id: 'file', value }], onWarning });
    expect(onWarning.mock.calls).toEqual([
      [
        {
          code: 'secret_has_stray_characters',
          secretId: 'file',
          message: 'The secret file contains white space, quotes or invisible characters.',
        },
      ],
    ]);
    expect(JSON.stringify(onWarning.mock.calls)).not.toContain(SECRET);
    expect(await verifier.safeVerify(body, genuine)).toMatchObject({ ok: false });
    const own = await signByOracle(body, value);
    expect(await verifier.safeVerify(body, own)).toMatchObject({ ok: true, secretId: 'file' });
  });

  it('does not warn about other secrets', () => {
    const onWarning = vi.fn<(warning: WebhookWarning) => void>();
    const secrets = [
      'two words',
      'whsec_a"b\u0027c',
      'gehëim🔑',
      'a+/=_-.~'.repeat(4),
      fromHex('20ff00a0efbbbf0a20'),
      new Uint8Array(32).fill(11),
    ];
    createVerifier({ secrets, onWarning });
    expect(onWarning.mock.calls).toEqual([]);
  });
});
