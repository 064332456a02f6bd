import { describe, expect, it } from 'vitest';
import { cases } from './all.ts';
import { runtimeNames } from './case.ts';
import { casesOn, exclusions } from './not-on.ts';

describe('the cases of runtimes', () => {
  it('have unique names, at least 250 of them on each runtime', () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    for (const runtime of runtimeNames) expect(casesOn(runtime).length).toBeGreaterThan(250);
  });

  it('are excluded by name, with a reason and nowhere twice', () => {
    const names = new Set(cases.map(({ name }) => name));
    for (const exclusion of exclusions) {
      expect(exclusion.cases).not.toEqual([]);
      expect(exclusion.cases.filter((name) => !names.has(name))).toEqual([]);
    }
    for (const runtime of runtimeNames) {
      const named = exclusions
        .filter(({ runtimes }) => runtimes.includes(runtime))
        .flatMap((each) => each.cases);
      expect(new Set(named).size).toBe(named.length);
      expect(casesOn(runtime)).toHaveLength(cases.length - named.length);
    }
  });

  it('each run somewhere, and most of them on every runtime', () => {
    const everywhere = cases.filter((each) => runtimeNames.every((name) => casesOn(name).includes(each)));
    expect(cases.filter((each) => !runtimeNames.some((name) => casesOn(name).includes(each)))).toEqual([]);
    expect(everywhere.length).toBeGreaterThan(250);
  });
});
