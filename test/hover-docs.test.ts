// The doc comments that an editor shows for the public names of the packages.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findWrongDefaults, readDefault } from './support/doc-defaults.ts';
import { checkExamples } from './support/doc-examples.ts';
import {
  compilePublicApi,
  findProblem,
  listPublicNames,
  type PublicApi,
  readPublicApi,
} from './support/public-api.ts';

const api = readPublicApi(['contract', 'sdk', 'webhooks', 'mock', 'probe']);
const names = listPublicNames(api);

/** Compiles an entry with these lines. */
function compileLines(...lines: string[]): PublicApi {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hover-'))).replaceAll('\\', '/');
  onTestFinished(() => rmSync(root, { recursive: true }));
  const entry = `${root}/packages/server/src/index.ts`;
  mkdirSync(dirname(entry), { recursive: true });
  writeFileSync(entry, lines.join('\n'));
  return compilePublicApi(root, new Map([['entry', entry]]));
}

const problemsIn = (...lines: string[]): string[] =>
  listPublicNames(compileLines(...lines)).flatMap((each) => {
    const problem = findProblem(each);
    return problem === undefined ? [] : [`${each.place} ${each.name}: ${problem}`];
  });

describe('the doc comment of a public name', () => {
  it('exists and says more than the name', () => {
    const problems = names.flatMap((each) => {
      const problem = findProblem(each);
      return problem === undefined ? [] : [`${each.place} ${each.owner}.${each.name}: ${problem}`];
    });
    expect(problems).toEqual([]);
    expect(names.length).toBeGreaterThan(1000);
  });

  it.each([
    ['an export', 'export const port: number = 1;', 'port'],
    ['a property', '/** A computer. */\nexport interface Server { readonly port: number }', 'port'],
    [
      'a nested property',
      '/** A computer. */\nexport type Server = {\n/** Its address. */\nat: { port: number } };',
      'port',
    ],
    ['a parameter', '/** Begins to listen. */\nexport function start(_: { port: number }): void {}', 'port'],
    [
      'a result',
      '/** Begins to listen. */\nexport declare function start(): Promise<{ port: number }>;',
      'port',
    ],
    ['a part of a union', '/** A computer. */\nexport type Server = string | { port: number };', 'port'],
    [
      'a type that is not exported',
      'interface Address { port: number }\n/** A computer. */\nexport type Server = Address[];',
      'port',
    ],
    [
      'a base class',
      'class Base { port = 1; }\n/** A computer. */\nexport class Server extends Base {}',
      'port',
    ],
    [
      'a mapped type',
      'type Address = { port: number };\n/** A computer. */\nexport type Server = Partial<Address>;',
      'port',
    ],
    ['a method', '/** A computer. */\nexport class Server { close(): void {} }', 'close'],
  ])('is missed on %s', (_, lines, name) => {
    expect(problemsIn(lines)).toEqual([expect.stringMatching(`index\\.ts:\\d ${name}: no doc comment$`)]);
  });

  it('is not required on private, internal and foreign members', () => {
    const lines = [
      '/** A computer. */',
      'export class Server extends Error {',
      '  #port = 1;',
      '  private address = this.#port;',
      '  protected host = this.address;',
      '  /** @internal */',
      '  state = this.host;',
      '}',
    ];
    expect(problemsIn(...lines)).toEqual([]);
  });

  it.each(['The port.', 'The ports of the server.', 'The server port'])('is rejected: %s', (text) => {
    const lines = [
      '/** A computer that listens. */',
      'export interface Server {',
      `  /** ${text} */`,
      '  port: number;',
      '}',
    ];
    expect(problemsIn(...lines)).toEqual([
      `packages/server/src/index.ts:4 port: "${text}" only repeats the name`,
    ]);
  });
});

describe('an example of a doc comment', () => {
  const hasExample = (name: string, entry: string): boolean =>
    names.some(
      (each) => each.name === name && each.entry === entry && each.tags.some((tag) => tag.name === 'example'),
    );

  it.each([
    ['createClient', '@service/sdk'],
    ['createPayer', '@service/sdk/intents'],
    ['createReceiver', '@service/webhooks'],
    ['createReceiver', '@service/webhooks/edge'],
    ['createVerifier', '@service/webhooks'],
    ['createVerifier', '@service/webhooks/edge'],
    ['createMock', '@service/mock'],
    ['probe', '@service/probe'],
  ])('shows %s of %s', (name, entry) => {
    expect(hasExample(name, entry)).toBe(true);
  });

  it('compiles', () => {
    expect(checkExamples(names)).toEqual([]);
  });

  it.each([
    ['an unknown option', 'start({ prot: 1 });', "'prot' does not exist"],
    ['an unknown name', 'start({ port });', "No value exists in scope for the shorthand property 'port'"],
    ['a syntax error', 'start({ port: 1 };', "')' expected"],
  ])('is rejected with %s', (_, example, message) => {
    const { entries, ...compiled } = compileLines(
      '/**',
      ' * Begins to listen.',
      ' *',
      ` * @example ${example}`,
      ' */',
      'export function start(_: { port: number }): void {}',
    );
    const [path = ''] = entries.values();
    const found = listPublicNames({ ...compiled, entries: new Map([[path, path]]) });
    expect(checkExamples(found).join()).toContain(message);
  });

  it('is rejected with a value of another type', () => {
    const found = listPublicNames(
      compileLines(
        '/** A computer. */',
        'export interface Server {',
        '  /**',
        "   * @example '80'",
        '   */',
        '  port: number;',
        '}',
      ),
    );
    expect(checkExamples(found)).toEqual([
      "packages/server/src/index.ts:6 port: Type 'string' is not assignable to type 'number'.",
    ]);
  });
});

describe('the @default of a doc comment', () => {
  it('is the default of the code', () => {
    expect(findWrongDefaults(api, names)).toEqual([]);
    expect(names.filter((each) => readDefault(each) !== undefined).length).toBeGreaterThan(100);
  });

  it.each([
    'const { timeout = 20 } = options;',
    'const timeout = options.timeout ?? 20;',
    'const LIMIT = 20; const timeout = options.timeout || LIMIT;',
    'const defaults = { timeout: 20 } as const;',
  ])('is compared with the code: %s', (code) => {
    const findWrong = (tag: string): string[] => {
      const server = compileLines(
        '/** A computer. */',
        'export interface Server {',
        '  /**',
        '   * Milliseconds.',
        '   *',
        `   * @default ${tag}`,
        '   */',
        '  timeout?: number;',
        '}',
        `function start(options: Server): void { ${code} }`,
      );
      return findWrongDefaults(server, listPublicNames(server));
    };
    expect(findWrong('20')).toEqual([]);
    expect(findWrong('no limit')).toEqual([]);
    expect(findWrong('2_0; more with retries')).toEqual([]);
    expect(findWrong('30')).toEqual(['packages/server/src/index.ts:8 Server.timeout: 30, but 20']);
  });

  it('exists for each profile setting', () => {
    const settings = names.filter(({ owner }) => owner === 'profileSettings');
    expect(settings.filter((each) => readDefault(each) === undefined)).toEqual([]);
    expect(settings.length).toBeGreaterThan(25);
  });
});
