import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import file from '@service/webhooks/vectors.json' with { type: 'json' };
import { runs } from '../../../test/support/runs.ts';
import { implementations } from './implementations.ts';

describe('the vector file', () => {
  it('calls a vector valid exactly if its only signature is the digest of node:crypto', () => {
    const wrong = file.vectors.filter(({ secret, body, signatures, valid }) => {
      const digest = createHmac('sha256', Buffer.from(secret, 'base64')).update(Buffer.from(body, 'base64'));
      return valid !== (signatures.length === 1 && signatures[0] === digest.digest('hex'));
    });
    expect(wrong).toEqual([]);
  });

  it('has valid and malformed signatures', () => {
    expect(file.vectors.filter(({ valid }) => valid).length).toBeGreaterThan(10);
    expect(file.vectors.filter(({ valid }) => !valid).length).toBeGreaterThan(50);
    expect(new Set(file.vectors.map(({ id }) => id)).size).toBe(file.count);
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
