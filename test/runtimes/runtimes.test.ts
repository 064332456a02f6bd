import { describe, expect, it } from 'vitest';
import { cases } from './all.ts';
import { assertMatch, runCases, runtimeNames } from './case.ts';
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

describe('runCases', () => {
  it('reports each case, and the errors of those that fail', async () => {
    const failing = { name: 'fails', run: () => Promise.reject(new Error('It failed.')) };
    const throwing = { name: 'throws', run: () => assertMatch({ a: [1] }, { a: [2] }) };
    const passing = { name: 'passes', run: () => {} };
    const context = { runtime: 'node24', origin: '', golden: '' } as const;
    expect(await runCases([failing, throwing, passing], context)).toEqual(
      expect.arrayContaining([
        { name: 'fails', error: 'Error: It failed.' },
        { name: 'throws', error: 'Error: value.a.0 is 1 instead of 2' },
        { name: 'passes' },
      ]),
    );
  });
});

describe('assertMatch', () => {
  it.each([
    [{ a: 1, b: 2 }, { a: 1 }],
    [[/x/], [/x/]],
    ['text', /ex/],
    [Number.NaN, Number.NaN],
    [new Error('message'), { name: 'Error', message: /^mess/ }],
  ])('accepts %o as %o', (actual, expected) => {
    expect(() => assertMatch(actual, expected)).not.toThrow();
  });

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{}, { a: undefined, b: null }],
    [[1, 2], [1]],
    [[1], [1, 2]],
    [undefined, {}],
    [undefined, []],
    ['text', /y/],
    [0, -0],
    ['1', 1],
  ])('rejects %o as %o', (actual, expected) => {
    expect(() => assertMatch(actual, expected)).toThrow(/ is .* instead of /);
  });
});
