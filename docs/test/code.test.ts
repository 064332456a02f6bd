// The code blocks of all pages, and the code in the tables of READMEs: each is compiled and run here with the packed packages, in ESM
// and CommonJS, or by a test that it names. The block of a file has its text.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../.vitepress/pages.ts';
import { type Block, listBlocks, listFiles, readSource } from './blocks.ts';
import { compile, createProject, formats, runModule, writeModules } from './run.ts';

/** The tests that compile and run blocks with the packed packages or read their data, by page or folder of files, and language. */
const testedElsewhere: Readonly<Record<string, string>> = {
  'docs/start/setup.md ts': 'scripts/setup-guides.ts',
  'docs/start/setup.md python': 'scripts/setup-guides.ts',
  'docs/start/setup.md jsx': 'scripts/setup-guides.ts',
  'docs/start/setup.md js': 'scripts/setup-guides.ts',
  'docs/start/setup.md html': 'scripts/setup-guides.ts',
  'docs/start/tour.md ts': 'docs/test/tour.test.ts',
  'examples/next-app tsx': 'scripts/setups.ts',
  'examples/react-checkout ts': 'scripts/setups.ts',
  'examples/react-checkout tsx': 'scripts/setups.ts',
  'examples/testing js': 'scripts/packaging.ts',
  'packages/cli/docs/payment-runs.md csv': 'packages/cli/test/pay-file.test.ts',
  'packages/mock/docs/docker-and-ci.md yaml': 'test/docker-and-ci.test.ts',
  'packages/mock/docs/seed-file.md yaml': 'packages/mock/test/seed-file.test.ts',
  'packages/webhooks/docs/stores.md conf': 'packages/webhooks/test/recipes-stores.money.test.ts',
};

/** Blocks that are only compiled, with the reason. The text is in the block. */
const compiledOnly: readonly (readonly [page: string, text: string, reason: string])[] = [
  ['packages/sdk/docs/payment-runs.md', 'payer.resolve', 'needs an intent that is unknown: resolve.test.ts'],
  ['packages/sdk/docs/pay-once.md', 'payer.resolve', 'needs an intent that is unknown, too'],
  ['packages/mock/docs/testing.md', "from './app.ts'", 'test/examples.proof.test.ts runs it in Chromium'],
  ['packages/mock/docs/testing.md', "from './sandbox.ts'", 'test/examples.proof.test.ts runs it in Chromium'],
  ['packages/mock/docs/testing.md', 'msw/browser', 'packages/mock/test/storybook.browser.ts runs it'],
  ['packages/mock/docs/testing.md', './preview.ts', 'packages/mock/test/storybook.browser.ts runs it'],
  ['packages/probe/README.md', 'listenForWebhooks', 'waits for webhooks; packages/probe/test sends them'],
  ['packages/contract/README.md', 'response.json()', 'needs a response'],
];

const blocks = listBlocks();
const isCode = ({ language }: Block): boolean => /^[jt]sx?$/.test(language);
const findKey = ({ page, language, source }: Block): string =>
  `${/^examples\/(?!snippets)[\w-]+/.exec(source ?? '')?.[0] ?? page} ${language}`;
const isTestedElsewhere = (block: Block): boolean => findKey(block) in testedElsewhere;
const extracted = blocks.filter(({ source }) => source !== undefined);
const compiled = blocks.filter((block) => isCode(block) && !isTestedElsewhere(block));
const isRun = ({ page, code }: Block): boolean =>
  !compiledOnly.some(([file, text]) => page === file && code.includes(text));

const title = ({ page, line }: Block): string => `${page}:${line}`;
const named = (list: readonly Block[]): [string, Block][] => list.map((block) => [title(block), block]);

describe('a code block from a file', () => {
  const tests = listFiles(/\.test\.ts$|\.browser\.ts$|^scripts\/setups\.ts$|^scripts\/packaging\.ts$/).map(
    (file) => readFileSync(join(root, file), 'utf8'),
  );

  it.each(named(extracted))('has the code of the file: %s', (_, { source = '', code }) => {
    expect(code).toBe(readSource(source));
  });

  it.each(named(extracted))('is from a file that a test runs: %s', (_, { source = '' }) => {
    const [, example = '', rest = ''] = /^examples\/([\w-]+)\/(.+?)(?:#.*)?$/.exec(source) ?? [];
    const [part = ''] = rest.split('/');
    const names = [
      `${example}/${rest}`,
      `${example}/${part}'`,
      `join(examples, '${part}')`,
      `'${example}': {`,
    ];
    expect(tests.some((text) => names.some((name) => text.includes(name)))).toBe(true);
  });
});

describe('a code block of a page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'code-blocks-'));
  let errors = '';

  beforeAll(() => {
    createProject(folder);
    for (const block of compiled) writeModules(folder, block);
    errors = compile(folder);
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('compiles in ESM and CommonJS', () => {
    expect(errors).toBe('');
  });

  it.concurrent.each(
    compiled
      .filter(isRun)
      .flatMap((block) =>
        formats
          .filter((format) => format === 'cjs' || !block.code.includes('require('))
          .map((format) => [title(block), format, block] as const),
      ),
  )('runs: %s in %s', async (_, format, block) => {
    expect(await runModule(folder, format, block)).toBe('');
  });

  it('has a test', () => {
    // `sh` has commands.test.ts, and blocks without a language are output.
    const others = new Set(['sh', 'text', '']);
    const untested = blocks.filter(
      (block) =>
        !isCode(block) &&
        block.source === undefined &&
        !isTestedElsewhere(block) &&
        !others.has(block.language),
    );
    expect(untested.map(title)).toEqual([]);
  });
});

describe('the list of blocks with another test', () => {
  it.each(Object.entries(testedElsewhere))('names a test of %s', (key, test) => {
    expect(blocks.some((block) => findKey(block) === key)).toBe(true);
    expect(existsSync(join(root, test))).toBe(true);
  });

  it.each(compiledOnly)('names one block of %s with %s', (page, text) => {
    expect(compiled.filter((block) => block.page === page && block.code.includes(text))).toHaveLength(1);
  });
});
