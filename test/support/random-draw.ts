import { createRandom } from './random.ts';

/** Random choices from one seed. */
export interface Draw {
  readonly pick: <T>(values: readonly T[]) => T;
  readonly isTrue: (probability?: number) => boolean;
  readonly whole: (least: number, most: number) => number;
  readonly shuffle: <T>(values: readonly T[]) => T[];
  /** Returns some of the values, in their order. */
  readonly some: <T>(values: readonly T[], probability?: number) => T[];
}

export function createDraw(seed: number): Draw {
  const random = createRandom(seed);
  const whole: Draw['whole'] = (least, most) => least + Math.floor(random() * (most - least + 1));
  const isTrue: Draw['isTrue'] = (probability = 0.5) => random() < probability;
  return {
    pick: (values) => values[whole(0, values.length - 1)]!,
    isTrue,
    whole,
    shuffle: (values) => {
      const keys = new Map(values.map((value) => [value, random()]));
      return values.toSorted((a, b) => keys.get(a)! - keys.get(b)!);
    },
    some: (values, probability) => values.filter(() => isTrue(probability)),
  };
}

type Duration = `${number}ms`;
/** Returns a duration within limits in milliseconds. */
export const duration = ({ whole }: Draw, least: number, most: number): Duration => `${whole(least, most)}ms`;
/** Returns a duration, or the shortest and the longest one. */
export const range = (draw: Draw, least: number, most: number): Duration | readonly [Duration, Duration] => {
  const shortest = draw.whole(least, most);
  return draw.isTrue() ? `${shortest}ms` : [`${shortest}ms`, `${draw.whole(shortest, most)}ms`];
};
