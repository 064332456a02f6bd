// The code blocks of all pages: each is the text of a tested file, or is compiled and run here, or has a test elsewhere.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { root } from '../.vitepress/pages.ts';
import { type Block, listFiles, listPageFiles, readBlocks, readSource } from './blocks.ts';
import { folder, writeModule } from './run.ts';

/** The tests that read and run the blocks of a page, by page and language. */
const testedElsewhere: Readonly<Record<string, string>> = {
  'docs/start/setups/express.md ts': 'scripts/setup-guides.ts',
  'docs/start/setups/jest.md js': 'scripts/setup-guides.ts',
  'docs/start/setups/next.md js': 'scripts/setup-guides.ts',
  'docs/start/setups/python.md python': 'scripts/setup-guides.ts',
  'docs/start/setups/vite.md html': 'scripts/setup-guides.ts',
  'docs/start/setups/vite.md js': 'scripts/setup-guides.ts',
  'docs/start/setups/vite.md jsx': 'scripts/setup-guides.ts',
  'docs/start/tour.md js': 'docs/test/tour.test.ts',
  'packages/cli/docs/configuration.md json': 'packages/cli/test/config-files.test.ts',
  'packages/cli/docs/payment-runs.md csv': 'packages/cli/test/pay-file.test.ts',
  'packages/mock/docs/docker-and-ci.md yaml': 'test/docker-and-ci.test.ts',
  'packages/mock/docs/seed-file.md yaml': 'packages/mock/test/seed-file.test.ts',
  'packages/webhooks/docs/frameworks.md ts': 'packages/webhooks/test/recipes.proof.test.ts',
  'packages/webhooks/docs/stores.md ts': 'packages/webhooks/test/recipes-stores.money.test.ts',
  'packages/webhooks/docs/stores.md conf': 'packages/webhooks/test/recipes-stores.money.test.ts',
  'packages/webhooks/docs/testing.md ts': 'packages/webhooks/test/recipes.proof.test.ts',
};

/** Blocks that are only compiled, with the reason. The text is in the block. */
const compiledOnly: readonly (readonly [page: string, text: string, reason: string])[] = [
  ['packages/mock/README.md', 'base.extend', 'examples/testing/vitest runs these fixtures'],
  ['packages/mock/docs/testing.md', 'node:test', 'packages/mock/test/jest.test.ts passes hooks'],
  ['packages/sdk/docs/runtimes.md', 'require(', 'examples/testing/jest requires the built packages'],
  ['packages/sdk/docs/payment-runs.md', 'payer.resolve', 'needs an intent that is unknown: resolve.test.ts'],
  ['packages/sdk/docs/operate-payment-runs.md', 'payer.resolve', 'needs an intent that is unknown, too'],
  ['packages/sdk/docs/pay-once.md', 'payer.resolve', 'needs an intent that is unknown, too'],
  ['packages/probe/README.md', 'listenForWebhooks', 'waits for webhooks; packages/probe/test sends them'],
  ['packages/contract/README.md', 'response.json()', 'needs a response'],
];

const blocks = listPageFiles().flatMap(readBlocks);
const isCode = ({ language }: Block): boolean => /^[jt]sx?$/.test(language);
const isTestedElsewhere = ({ page, language }: Block): boolean => `${page} ${language}` in testedElsewhere;
const extracted = blocks.filter(({ source }) => source !== undefined);
const compiled = blocks.filter(
  (block) => isCode(block) && block.source === undefined && !isTestedElsewhere(block),
);
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
  const cwd = process.cwd();
  const modules = new Map<Block, string>();
  const directory = mkdtempSync(join(tmpdir(), 'code-blocks-'));

  beforeAll(() => {
    rmSync(folder, { recursive: true, force: true });
    for (const block of compiled) modules.set(block, writeModule(block));
    writeFileSync(join(folder, 'profile.json'), '{}\n');
    writeFileSync(join(directory, 'service.sandbox.yaml'), 'seed: demo\n');
    process.chdir(directory);
  });
  beforeEach(() => {
    vi.resetModules();
    for (const method of ['log', 'info', 'error'] as const) vi.spyOn(console, method).mockReturnValue();
  });
  afterAll(() => {
    process.chdir(cwd);
    rmSync(directory, { recursive: true });
    rmSync(folder, { recursive: true });
  });

  it('compiles', () => {
    const config = {
      extends: '../../test/tsconfig.json',
      compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
      include: ['.'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  it.each(named(compiled.filter(isRun)))('runs: %s', async (_, block) => {
    await expect(import(/* @vite-ignore */ modules.get(block) ?? '')).resolves.toBeTypeOf('object');
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
    expect(blocks.some(({ page, language }) => `${page} ${language}` === key)).toBe(true);
    expect(existsSync(join(root, test))).toBe(true);
  });

  it.each(compiledOnly)('names one block of %s with %s', (page, text) => {
    expect(compiled.filter((block) => block.page === page && block.code.includes(text))).toHaveLength(1);
  });
});
