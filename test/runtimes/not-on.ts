import { cases } from './all.ts';
import { type Case, type RuntimeName, runtimeNames } from './case.ts';
import { oldNode } from './payers.ts';

/** Cases that runtimes cannot run. */
export interface Exclusion {
  readonly runtimes: readonly RuntimeName[];
  readonly cases: readonly string[];
  readonly reason: string;
}

const select = (pattern: RegExp): string[] =>
  cases.map(({ name }) => name).filter((name) => pattern.test(name));
const withoutNode: readonly RuntimeName[] = ['workerd', 'chromium'];

/** All cases that do not run somewhere. */
export const exclusions: readonly Exclusion[] = [
  {
    runtimes: ['node20', ...withoutNode],
    cases: select(/store of SQLite: /),
    reason: 'there is no node:sqlite',
  },
  {
    runtimes: runtimeNames.filter((name) => name !== 'node20'),
    cases: [oldNode.name],
    reason: 'only Node 20 has the rest of node: without node:sqlite',
  },
  {
    runtimes: withoutNode,
    cases: select(/^@service\/webhooks: |of node:http$/),
    reason: 'there is no node:crypto and no node:http',
  },
  {
    runtimes: ['node20'],
    cases: ['the answers of a mock: quotes: excess precision with round'],
    reason: 'JSON.parse has no access to source text: a mock reads numbers of 16 digits or more as doubles',
  },
  {
    runtimes: ['bun'],
    cases: select(/of node:http$/),
    reason: 'the server of @service/mock/node closes with a function of net.Server, which Bun does not share',
  },
  {
    runtimes: ['bun', 'workerd'],
    cases: ['the answers of a mock: HTTP: unknown methods get 405'],
    reason: 'new Request replaces or refuses an unknown method',
  },
  {
    runtimes: ['chromium'],
    cases: ['payments.create over a socket with a 421'],
    reason: 'the browser repeats the request, which a page cannot prevent',
  },
];

/** Returns the cases that a runtime runs. */
export function casesOn(runtime: RuntimeName): readonly Case[] {
  const excluded = new Set(
    exclusions.filter(({ runtimes }) => runtimes.includes(runtime)).flatMap((exclusion) => exclusion.cases),
  );
  return cases.filter(({ name }) => !excluded.has(name));
}
