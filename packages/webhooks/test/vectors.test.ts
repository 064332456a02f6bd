import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { implementations } from './implementations.ts';
import { rfc4231 } from './rfc-4231.ts';
import { fromHex } from './samples.ts';
import type { Vector } from './vectors.ts';
import { writeVectors } from './vectors.ts';
import { runs } from '../../../test/support/runs.ts';

const file = new URL('../vectors/signatures.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] };

describe('the vector file', () => {
  it('equals the generated vectors', async () => {
    await expect(writeVectors()).toMatchFileSnapshot('../vectors/signatures.json');
  });

  it('has valid and malformed signatures', () => {
    expect(vectors.filter(({ valid }) => valid).length).toBeGreaterThan(10);
    expect(vectors.filter(({ valid }) => !valid).length).toBeGreaterThan(50);
  });
});

describe.each(implementations)(
  'isValidSignature over $name, compared with node:crypto',
  ({ isValidSignature }) => {
    it('returns the same for any body, secret and nearly valid signature', async () => {
      const secrets = fc
        .uint8Array({ minLength: 1, maxLength: 150 })
        .filter((key) => key.some((byte) => byte > 0));
      const nearlyValid = fc.constantFrom<(genuine: string) => string>(
        (genuine) => genuine,
        (genuine) => genuine.toUpperCase(),
        (genuine) => genuine.slice(1),
        (genuine) => `${genuine.slice(0, 63)}${genuine.endsWith('0') ? '1' : '0'}`,
        (genuine) => `${genuine} `,
      );
      await fc.assert(
        fc.asyncProperty(
          fc.uint8Array({ maxLength: 2_000 }),
          secrets,
          nearlyValid,
          async (body, secret, mutate) => {
            const genuine = createHmac('sha256', secret).update(body).digest('hex');
            const signature = mutate(genuine);
            expect(await isValidSignature(body, signature, secret)).toBe(signature === genuine);
          },
        ),
        { numRuns: runs(100) },
      );
    });
  },
);

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

/** The vectors of Wycheproof, if they are in the folder next to the project. */
const wycheproof = new URL('../../../../shared/vectors/hmac_sha256_test.json', import.meta.url);
const hasWycheproof = existsSync(wycheproof);
if (!hasWycheproof) {
  process.stderr.write(
    'The vectors of Wycheproof are not next to the project: RFC 4231 is tested instead.\n',
  );
}

/** Converts the cases of RFC 4231 to the format of Wycheproof. */
function convertRfc4231(): Wycheproof {
  const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  const tests = rfc4231.map(({ title, key, data, digest }, index) => ({
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
  : convertRfc4231();
const cases = testGroups.flatMap(({ tagSize, tests }) => tests.map((test) => ({ ...test, tagSize })));

describe.each(implementations)(
  'isValidSignature over $name, with Wycheproof or RFC 4231',
  ({ isValidSignature }) => {
    // A truncated tag is not a signature of this API.
    it('accepts every full valid tag and rejects all others', async () => {
      expect(cases).toHaveLength(hasWycheproof ? 174 : 7);
      for (const { tcId, key, msg, tag, result, tagSize } of cases) {
        const isAccepted = await isValidSignature(fromHex(msg), tag, fromHex(key));
        expect(isAccepted, `case ${tcId}`).toBe(result === 'valid' && tagSize === 256);
      }
    });
  },
);
