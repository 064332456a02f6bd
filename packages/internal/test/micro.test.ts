import { describe, expect, it } from 'vitest';
import { toMicro, writeCents, writeMicro } from '../src/micro.ts';

describe('amounts in millionths', () => {
  it.each<[unknown, bigint | undefined]>([
    [1, 1_000_000n],
    ['0.92', 920_000n],
    [-10.5, -10_500_000n],
    [916.6900000000001, 916_690_000n],
    [0.30000000000000004, 300_000n],
    [0.9999999, 1_000_000n],
    // The float tail of a zero in JSON.
    [1e-16, 0n],
    [0, 0n],
    ['1e3', undefined],
    ['1,000', undefined],
    [Number.NaN, undefined],
    [null, undefined],
  ])('are parsed: %j is %s', (figure, micro) => {
    expect(toMicro(figure)).toBe(micro);
  });

  it('are formatted without trailing zeros, and hundredths with two decimals', () => {
    expect([1_500_000n, -1n, 0n].map(writeMicro)).toEqual(['1.5', '-0.000001', '0']);
    expect([5n, 5_025n].map(writeCents)).toEqual(['0.05', '50.25']);
  });
});
