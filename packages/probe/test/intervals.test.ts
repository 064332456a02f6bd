import { describe, expect, it } from 'vitest';
import { type Interval, summarizeTimes } from '../src/experiments/durations.ts';
import {
  limitInterval,
  listRateChanges,
  measureInterval,
  type RateReading,
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

/** Returns the readings of a rate that changes at some times. */
function observe(changes: readonly number[], quotes: readonly number[]): RateReading[] {
  const countAt = (time: number): number => changes.filter((one) => one <= time).length;
  return quotes.map((at) => ({ since: at - 40, at, rate: BigInt(countAt(at - 20)) }));
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
    expect(measureInterval(listRateChanges(observe(changes, quotes)))).toBe(expected);
  });

  it.each([
    [[3_000, 63_000], true],
    [[3_000, 53_000], false],
    [[3_000, 73_000], false],
    // A change each minute would have come again.
    [[3_000], false],
  ])('has limits that exclude intervals that do not agree with changes at %j', (changes, isMinute) => {
    const [least, most] = limitInterval([observe(changes, repeat(540, { until: 90_000 }))]);
    expect(least <= 60_000 && 60_000 <= most).toBe(isMinute);
  });

  it('has limits that agree with the changes, whichever series of quotes shows them', () => {
    const changes = repeat(1_250, { until: 60_000 });
    const often = observe(changes, [...repeat(540, { from: 300, until: 14_000 }), 59_000]);
    // Each of these quotes overlaps the changes of several others.
    for (const rare of [[700, 9_000, 9_400, 30_000, 58_000], [1_900, 2_600, 4_300, 13_000], []]) {
      const [least, most] = limitInterval([often, observe(changes, rare)]);
      expect([least <= 1_250, most >= 1_250, least > 0]).toEqual([true, true, true]);
    }
  });

  it('has limits that join the times without a change of two series of quotes', () => {
    const changes = [10_000, 70_000, 130_000];
    const series = [
      [11_000, 40_000, 75_000],
      [5_000, 39_000, 69_500],
    ];
    const [least, most] = limitInterval(series.map((quotes) => observe(changes, quotes)));
    expect(least).toBe(69_460 - 11_000);
    expect(most).toBe(75_000 - 4_960);
  });

  it('has no lower limit if each quote has another rate', () => {
    expect(limitInterval([observe(repeat(300), repeat(540))])[0]).toBe(0);
  });
});
