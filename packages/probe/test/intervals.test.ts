import { describe, expect, it } from 'vitest';
import { type Interval, summarizeTimes } from '../src/experiments/durations.ts';
import {
  limitInterval,
  listRateChanges,
  measureInterval,
  mergeChanges,
} from '../src/experiments/rate-changes.ts';

describe('the time that several payments show', () => {
  it.each<[string, Interval[], unknown]>([
    [
      'one duration that agrees with all',
      [
        [900, 1_100],
        [950, 1_200],
      ],
      '1s',
    ],
    [
      'one duration, next to a payment that was read rarely',
      [
        [900, 1_100],
        [0, 15_000],
        [950, 1_200],
      ],
      '1s',
    ],
    ['the limits of the only payment', [[1_750, 2_160]], ['1750ms', '2160ms']],
    [
      'the range that different times prove',
      [
        [950, 1_100],
        [3_900, 4_050],
        [0, 31_000],
      ],
      ['1100ms', '3900ms'],
    ],
    ['no duration if the payment was read rarely', [[110, 15_120]], undefined],
    [
      'no duration if all were read rarely',
      [
        [110, 15_120],
        [90, 14_000],
      ],
      undefined,
    ],
    [
      'no range if all were read rarely',
      [
        [0, 5_000],
        [6_000, 15_000],
      ],
      undefined,
    ],
  ])('is %s', (_, intervals, expected) => {
    expect(summarizeTimes(intervals)).toEqual(expected);
  });
});

/** Returns the changes that quotes show of a rate that changes at some times. */
function observe(isChange: readonly number[], quotes: readonly number[]): Interval[] {
  const countAt = (time: number): number => isChange.filter((one) => one <= time).length;
  return listRateChanges(quotes.map((at) => ({ since: at - 40, at, rate: BigInt(countAt(at - 20)) })));
}

/** Returns times with a distance. */
function repeat(distance: number, { from = 0, until = 20_000 } = {}): number[] {
  const count = Math.floor((until - from) / distance);
  return Array.from({ length: count }, (_, index) => from + (index + 1) * distance);
}

describe('the interval of changes of a rate', () => {
  it.each([
    ['4s', '4s', repeat(4_000), repeat(540)],
    ['1s', '1s', repeat(1_000), repeat(540)],
    [
      '4s, with a wait for the rate limit',
      '4s',
      repeat(4_000, { until: 60_000 }),
      [...repeat(540, { until: 5_000 }), ...repeat(540, { from: 33_000, until: 50_000 })],
    ],
    ['not determined if each quote has another rate', undefined, repeat(300), repeat(540)],
    ['not determined by two changes', undefined, repeat(8_000), repeat(540)],
    ['not determined if it varies', undefined, [2_000, 5_000, 12_000, 14_000], repeat(540)],
    ['not determined by rare quotes', undefined, repeat(4_000), repeat(3_000)],
  ])('is %s', (_, expected, changes, quotes) => {
    expect(measureInterval(observe(changes, quotes))).toBe(expected);
  });

  it.each([
    [[3_000, 63_000], true],
    [[3_000, 53_000], false],
    [[3_000, 73_000], false],
    // A change each minute would have come again.
    [[3_000], false],
  ])('has limits that exclude intervals that do not agree with changes at %j', (changes, isMinute) => {
    const [least, most] = limitInterval(observe(changes, repeat(540, { until: 90_000 })), [0, 90_000]);
    expect(least <= 60_000 && 60_000 <= most).toBe(isMinute);
  });

  it('counts a change that two series of quotes show once', () => {
    expect(
      mergeChanges([
        [9_000, 12_000],
        [2_000, 4_000],
        [1_000, 3_000],
      ]),
    ).toEqual([
      [2_000, 3_000],
      [9_000, 12_000],
    ]);
  });
});
