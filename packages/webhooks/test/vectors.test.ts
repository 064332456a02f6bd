import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { implementations } from './implementations.ts';
import { RFC_4231 } from './rfc-4231.ts';
import { fromHex } from './samples.ts';
import type { Vector } from './vectors.ts';
import { writeVectors } from './vectors.ts';
import { runs } from '../../../test/support/runs.ts';

const file = new URL('../vectors/signatures.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] };

describe('the vector file', () => {
  it('is what the project signs by node:crypto alone', async () => {
    await expect(writeVectors()).toMatchFileSnapshot('../vectors/signatures.json');
  });

  it('holds valid and malformed signatures', () => {
    expect(vectors.filter(({ valid }) => valid).length).toBeGreaterThan(10);
    expect(vectors.filter(({ valid }) => !valid).length).toBeGreaterThan(50);
  });
});

describe.each(implementations)('a fuzz over $name', ({ isValidSignature }) => {
  it('agrees with node:crypto on any body, secret and nearly right signature', async () => {
    const secrets = fc
      .uint8Array({ minLength: 1, maxLength: 150 })
      .filter((key) => key.some((byte) => byte > 0));
    const nearly = fc.constantFrom<(genuine: string) => string>(
      (genuine) => genuine,
      (genuine) => genuine.toUpperCase(),
      (genuine) => genuine.slice(1),
      (genuine) => `${genuine.slice(0, 63)}${genuine.endsWith('0') ? '1' : '0'}`,
      (genuine) => `${genuine} `,
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), secrets, nearly, async (body, secret, mutate) => {
        const genuine = createHmac('sha256', secret).update(body).digest('hex');
        const given = mutate(genuine);
        expect(await isValidSignature(body, given, secret)).toBe(given === genuine);
      }),
      { numRuns: runs(100) },
    );
  });
});

interface Wycheproof {
  readonly testGroups: readonly {
    readonly tagSize: number;
    readonly tests: readonly {
      tcId: number;
      comment: string;
      key: string;
      msg: string;
      tag: string;
      result: string;
    }[];
  }[];
}

/** Finds the vectors of Wycheproof in the folder beside the project, where there is one. */
const wycheproof = new URL('../../../../shared/vectors/hmac_sha256_test.json', import.meta.url);
const hasWycheproof = existsSync(wycheproof);
if (!hasWycheproof) {
  process.stderr.write(
    'The vectors of Wycheproof are not beside the project: RFC 4231 is tried in their place.\n',
  );
}

/** Writes RFC 4231 as a file of Wycheproof. */
function writeRfc4231(): Wycheproof {
  const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  const tests = RFC_4231.map(({ title, key, data, digest }, index) => ({
    tcId: index + 1,
    comment: title,
    key: toHex(key),
    msg: toHex(data),
    tag: digest,
    result: 'valid',
    tagSize: digest.length * 4,
  }));
  return { testGroups: tests.map(({ tagSize, ...test }) => ({ tagSize, tests: [test] })) };
}

const { testGroups } = hasWycheproof
  ? (JSON.parse(readFileSync(wycheproof, 'utf8')) as Wycheproof)
  : writeRfc4231();
const cases = testGroups.flatMap(({ tagSize, tests }) => tests.map((test) => ({ ...test, tagSize })));

describe.each(implementations)('Wycheproof, or else RFC 4231, over $name', ({ isValidSignature }) => {
  // A tag that was cut to half is no signature of this API, however right it is.
  it('accepts every full valid tag and refuses all others', async () => {
    expect(cases).toHaveLength(hasWycheproof ? 174 : 7);
    for (const { tcId, key, msg, tag, result, tagSize } of cases) {
      const isAccepted = await isValidSignature(fromHex(msg), tag, fromHex(key));
      expect(isAccepted, `case ${tcId}`).toBe(result === 'valid' && tagSize === 256);
    }
  });
});
