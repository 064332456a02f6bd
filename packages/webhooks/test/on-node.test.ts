import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { implementations } from './implementations.ts';
import { rejectionOf, SECRET, signByOracle, thrownBy, writeEvent } from './samples.ts';

const body = writeEvent();
const genuine = await signByOracle(body);

describe.each(implementations)('on Node, the package over $name', (implementation) => {
  const { createVerifier, isValidSignature, sign } = implementation;

  it('accepts a Buffer as body and as secret, and uses only its bytes', async () => {
    const pool = Buffer.from(`..${body}..${SECRET}..`);
    const raw = pool.subarray(2, 2 + body.length);
    const secret = pool.subarray(-2 - SECRET.length, -2);
    expect(await sign(raw, secret)).toBe(genuine);
    expect(await isValidSignature(raw, genuine, secret)).toBe(true);
    expect(await rejectionOf(sign(raw, Buffer.alloc(0)))).toMatchObject({ code: 'unusable_secret' });
    expect(await rejectionOf(sign(raw.toJSON() as never, secret))).toMatchObject({ code: 'body_not_raw' });
  });

  it('accepts bytes and array buffers of another realm', async () => {
    const foreign = runInNewContext(
      `new Uint8Array([${[...Buffer.from(body)].join()}])`,
    ) as Uint8Array<ArrayBuffer>;
    expect(foreign instanceof Uint8Array).toBe(false);
    expect(await isValidSignature(foreign, genuine, SECRET)).toBe(true);
    expect(await isValidSignature(foreign.buffer, genuine, SECRET)).toBe(true);
    expect(await isValidSignature(body, await signByOracle(body, body), foreign)).toBe(true);
  });

  it('does not reveal secrets in inspection, JSON or errors', async () => {
    const verifier = createVerifier({ secrets: SECRET });
    const { original } = verifier;
    const error = await rejectionOf(verifier.verify('confidential body', genuine));
    const setup = thrownBy(() => createVerifier({ secrets: [SECRET, ''] }));
    const output = [
      inspect(original, { depth: 9, showHidden: true }),
      JSON.stringify(original),
      ...[error, setup].flatMap((e) => [inspect(e, { depth: 9, showHidden: true }), JSON.stringify(e)]),
    ].join('\n');
    for (const hidden of [SECRET, 'confidential', genuine, await signByOracle('confidential body')]) {
      expect(output).not.toContain(hidden);
    }
  });
});
