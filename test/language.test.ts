// The language check fails on a seeded violation of each rule, and passes the form that replaces it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkExports, readEntryPoints } from '../scripts/language/public-types.ts';
import { checkDocument, checkPath, checkSource } from '../scripts/language/rules.ts';
import { FILLER_OPENERS, METAPHORS } from '../scripts/language/vocabulary.ts';

const resolve = (citation: string): boolean => citation === 'docs/contract.md#webhooks';
const rulesOf = (source: string, path = 'src/a.ts'): string[] =>
  checkSource(path, source, resolve).map(({ rule }) => rule);
const rulesOfDocument = (text: string): string[] =>
  checkDocument('README.md', text, resolve).map(({ rule }) => rule);

describe('the language check of a source file', () => {
  it.each(FILLER_OPENERS)('rejects a doc comment that opens with %s', (opener) => {
    expect(rulesOf(`/** ${opener} the events of a change. */\nexport const a = 1;`)).toContain('opener');
  });

  it.each(Object.keys(METAPHORS))(
    'rejects %s in the name of a type, a function, a property and a file',
    (word) => {
      const pascal = word.replace(/^\w/, (letter) => letter.toUpperCase());
      expect(rulesOf(`export interface ${pascal}State { a: 1 }`)).toEqual(['name']);
      expect(rulesOf(`export function open${pascal}(): void {}`)).toEqual(['name']);
      expect(rulesOf(`interface A { readonly my${pascal}: string }`)).toEqual(['name']);
      expect(checkPath(`src/${word}-list.ts`).map(({ rule }) => rule)).toEqual(['name']);
    },
  );

  it.each([
    ['a comment', '// Not what was asked for.\nlet a;', 'what'],
    ['a comment', '/* Whoever calls this must wait. */ let a;', 'prose'],
    ['a comment inside a function', 'function f() {\n  // The payment is in doubt.\n  return 1;\n}', 'prose'],
    ['a title', "describe('a', () => it('goes to the inbox', () => {}));", 'prose'],
    ['an error message', "throw new Error('Nobody answered the request.');", 'prose'],
    ['an error message with a value', 'throw new Error(`Nobody answered the request ${a}.`);', 'prose'],
    ['a comment over two lines', '// The payment is in\n// doubt.\nlet a;', 'prose'],
    ['the last comment of a block', 'function f() {\n  g();\n  // The payment is in doubt.\n}', 'prose'],
    ['a line comment', '// Holds the events.\nlet a;', 'opener'],
    ['a doc comment in lower case', '/** holds the events. */\nlet a;', 'opener'],
    ['a destructured name', 'const { data: purses } = x;', 'name'],
    ['a name with an acronym', 'let HTTPWorld;', 'name'],
    ['an arrow function without an object', 'const show = () => {};', 'verb'],
    ['a constant that a call creates', 'const TABLE = Object.freeze({ a: 1 });', 'constant-case'],
    ['a citation of another document', '/** The order of checks (spec §4). */\nlet a;', 'citation'],
    ['a citation of a section number', '/** The order of checks (contract.md 8). */\nlet a;', 'citation'],
    ['a citation that leads nowhere', '// docs/contract.md#nowhere\nlet a;', 'citation'],
    ['a tag without a class', '/**\n * Reads.\n *\n * @throws an error\n */\nlet a;', 'tags'],
    ['a tag within a line', '/** The limit. @default 5 */\nlet a;', 'tags'],
    ['a function without an object', 'function show(): void {}', 'verb'],
    ['a test without a subject', "it('returns 5', () => {});", 'subject'],
    ['a constant that is no primitive', 'const HANDLERS = { a: () => 1 };', 'constant-case'],
  ])('rejects a violation in %s', (_, source, rule) => {
    expect(rulesOf(source)).toContain(rule);
  });

  it.each([
    '/** When to dispatch the events of a change. */\nexport const a = 1;',
    '// RFC 9110, section 15: the order of checks. What to do next?\nlet a;',
    '/**\n * The limit, in milliseconds.\n *\n * @default 5\n * @throws {RangeError} when it is negative\n */\nconst MAX_DELAY = 5 * 60_000;',
    '// See docs/contract.md#webhooks.\nlet a;',
    "const RETRY_DELAYS = [1, 2] as const;\nthrow new Error('`timeout` must be a positive number.');",
    "import { inbox as endpoint } from 'elsewhere';\ncall({ news: endpoint });",
  ])('passes %j', (source) => {
    expect(rulesOf(source)).toEqual([]);
  });
});

describe('the language check of a document', () => {
  it.each([
    ['a metaphor', 'Each account is a world.', 'prose'],
    ['"what" for a noun', 'It shows what came.', 'what'],
    ['a citation that leads nowhere', 'See docs/contract.md#nowhere.', 'citation'],
  ])('rejects %s', (_, text, rule) => {
    expect(rulesOfDocument(text)).toEqual([rule]);
  });

  it.each([
    '`sandbox.journal` is `sandbox.requests`.',
    '```sh\nls world # what\n```',
    'See docs/contract.md#webhooks.',
  ])('passes %j', (text) => {
    expect(rulesOfDocument(text)).toEqual([]);
  });
});

describe('the language check of a README or decision', () => {
  const messagesOf = (path: string, text: string): string[] =>
    checkDocument(path, text, resolve).map(({ message }) => message);

  it('rejects a README of more than 500 words', () => {
    expect(messagesOf('README.md', 'word '.repeat(501))).toEqual([
      'A README has at most 500 words; this one has 501.',
    ]);
    expect(messagesOf('README.md', 'word '.repeat(500))).toEqual([]);
  });

  it('rejects a page of more than 900 words besides code and tables', () => {
    const text = `| ${'cell '.repeat(50)}|\n\n\`\`\`sh\n${'code '.repeat(50)}\n\`\`\`\n\n`;
    expect(messagesOf('packages/sdk/docs/errors.md', text + 'word '.repeat(901))).toEqual([
      'A page has at most 900 words besides code and tables; this one has 901.',
    ]);
    expect(messagesOf('docs/start/tour.md', text + 'word '.repeat(900))).toEqual([]);
  });

  it('rejects a decision that is long or has a section missing', () => {
    const decision = '# Title\n\n## Context\n\n## Decision\n\n## Consequences\n';
    expect(messagesOf('decisions/0001-title.md', decision)).toEqual([
      'The section "Revisit when" is missing.',
    ]);
    const long = `${decision}\n## Revisit when\n${'\n- x'.repeat(40)}`;
    expect(messagesOf('decisions/0001-title.md', long)).toEqual([
      'A decision has at most 40 lines; this one has 50.',
    ]);
  });
});

describe('the language check of public types', () => {
  const check = (sources: Readonly<Record<string, string>>): string[] => {
    const root = mkdtempSync(join(tmpdir(), 'language-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    for (const [name, source] of Object.entries(sources)) {
      mkdirSync(join(root, 'packages', name), { recursive: true });
      const manifest = { exports: { '.': { '@service/source': './index.ts' } } };
      writeFileSync(join(root, 'packages', name, 'package.json'), JSON.stringify(manifest));
      writeFileSync(join(root, 'packages', name, 'index.ts'), source);
    }
    const entries = readEntryPoints(root, Object.keys(sources));
    return checkExports(root, entries).map(({ rule, message }) => `${rule}: ${message}`);
  };

  it('rejects two types of one name', () => {
    const source = (type: string): string =>
      `/** A result. */\nexport interface Result { readonly a: ${type} }`;
    expect(check({ sdk: source('string'), mock: source('number') })).toEqual([
      'ambiguous-type: Result of mock is another type than that of sdk.',
    ]);
  });

  it('passes types of the contract that other packages extend', () => {
    const source = (type: string): string =>
      `/** A payment. */\nexport interface Payment { readonly a: ${type} }`;
    expect(check({ contract: source('string'), sdk: source('number') })).toEqual([]);
  });
});
