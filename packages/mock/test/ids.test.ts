import { describe, expect, it } from 'vitest';
import { createMock } from '@service/mock';
import { deriveHex, deriveText, toSortable } from '../src/state/ids.ts';

describe('seeded ids', () => {
  it('deriveText differs if any character of a long source differs', () => {
    const long = 'x'.repeat(5000);
    const at = [0, 1, 100, 2500, 4990, 4999];
    const texts = at.map((place) => deriveText(`${long.slice(0, place)}y${long.slice(place + 1)}`, 'id', 16));
    expect(new Set([...texts, deriveText(long, 'id', 16)]).size).toBe(at.length + 1);
  });

  it('deriveText distinguishes seeds for long account names', () => {
    const name = 'n'.repeat(1000);
    const accounts = [1, 2].map((seed) => createMock({ seed }).sandbox.accounts.create({ name }));
    expect(accounts[0]?.id).not.toBe(accounts[1]?.id);
    expect(accounts[0]?.testKey).not.toBe(accounts[1]?.testKey);
  });

  it('deriveText distributes ids evenly and never repeats one', () => {
    const ids = Array.from({ length: 20_000 }, (_, count) => deriveHex('seed', `pay ${count}`, 32));
    expect(new Set(ids).size).toBe(ids.length);
    const ones = Array.from({ length: 128 }, (_, bit) => {
      const isSet = (id: string): boolean =>
        (Number.parseInt(id.charAt(bit >> 2), 16) >> (bit & 3)) % 2 === 1;
      return ids.filter(isSet).length;
    });
    // Six standard deviations around one half.
    for (const count of ones) expect(Math.abs(count - 10_000)).toBeLessThan(425);
  });

  it('toSortable orders counters as text', () => {
    const counters = [0, 1, 61, 62, 3843, 3844].map((count) => toSortable(count, 4));
    expect(counters.toSorted()).toEqual(counters);
  });
});
