import { describe, expect, it } from 'vitest';
import { implementations } from './implementations.ts';
import { OTHER_SECRET, SECRET, signByOracle, thrownBy, writeEvent } from './samples.ts';

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
      const secrets = [{ id: 'a', value: SECRET, notAfter: notAfter as never }];
      expect(thrownBy(() => createVerifier({ secrets }))).toMatchObject({ code: 'invalid_options' });
    },
  );
});
