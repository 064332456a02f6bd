import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { settingChoices } from './support/setting-choices.ts';
import { findWrongDefaults, readDefault } from './support/doc-defaults.ts';
import { checkExamples } from './support/doc-examples.ts';
import { findProblem, listPublicNames, readPublicApi } from './support/public-api.ts';

const api = readPublicApi(['contract', 'sdk', 'webhooks', 'mock', 'probe']);
const names = listPublicNames(api);

describe('the doc comment of a public name', () => {
  it('exists and says more than the name', () => {
    const problems = names.flatMap((each) => {
      const problem = findProblem(each);
      return problem === undefined ? [] : [`${each.place} ${each.owner}.${each.name}: ${problem}`];
    });
    expect(problems).toEqual([]);
    expect(names.length).toBeGreaterThan(1000);
  });

  it('cites no document that a reader of the package cannot open', () => {
    expect(names.filter(({ text }) => /contract\.md|spec §/.test(text)).map(({ name }) => name)).toEqual([]);
  });
});

describe('an example of a doc comment', () => {
  const hasExample = (name: string, entry: string): boolean =>
    names.some(
      (each) => each.name === name && each.entry === entry && each.tags.some((tag) => tag.name === 'example'),
    );

  it.each([
    ['createClient', '@service/sdk'],
    ['createPayer', '@service/sdk/payer'],
    ['checkStatement', '@service/sdk/statement'],
    ['createReceiver', '@service/webhooks'],
    ['createReceiver', '@service/webhooks/edge'],
    ['createVerifier', '@service/webhooks'],
    ['createAsyncVerifier', '@service/webhooks/edge'],
    ['createMock', '@service/mock'],
    ['probe', '@service/probe'],
  ])('shows %s of %s', (name, entry) => {
    expect(hasExample(name, entry)).toBe(true);
  });

  it('compiles', () => {
    expect(checkExamples(names)).toEqual([]);
  });
});

describe('the @default of a doc comment', () => {
  it('is the default of the code', () => {
    expect(findWrongDefaults(api, names)).toEqual([]);
    expect(names.filter((each) => readDefault(each) !== undefined).length).toBeGreaterThan(100);
  });

  it('exists for each option that can be left out', () => {
    const options = names.filter(
      ({ owner, declaration }) =>
        owner.endsWith('Options') && ts.isPropertySignature(declaration) && declaration.questionToken,
    );
    // Nothing takes the place of a listener, a signal or the cause of an error.
    const stated = options.filter(({ name }) => !/^(?:on[A-Z].*|signal|cause)$/.test(name));
    const missing = stated.filter(({ tags }) => !tags.some(({ name }) => name === 'default'));
    expect(missing.map(({ place, owner, name }) => `${place} ${owner}.${name}`)).toEqual([]);
    expect(stated.length).toBeGreaterThan(100);
  });

  it('exists for each profile setting with a list of values', () => {
    const settings = names.filter(({ name, owner }) => owner === 'NamedProfile' && name in settingChoices);
    expect(settings.filter((each) => readDefault(each) === undefined)).toEqual([]);
    expect(settings.length).toBe(Object.keys(settingChoices).length);
  });
});
