// The commands of the code blocks: programs, scripts, commands and options exist, and each request to a sandbox works.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { runCli } from '../../packages/cli/test/support.ts';
import { root } from '../.vitepress/pages.ts';
import { listBlocks, listGeneratedFiles, listPageFiles, readBlocks } from './blocks.ts';

const server = await listen(createMock(), { port: 0 });
afterAll(() => server.close());

/** Splits a line into words, as a shell does with quotes. */
function splitWords(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/** Returns the commands of a line, those in `$(…)` and `<(…)` included. */
function listCommands(line: string): string[][] {
  const text = line.replace(/(?:^|\s)#.*$/, '').replaceAll(/[$<]\(([^)]*)\)/g, '; $1;');
  return text
    .split(/&&|\|\|?|;|&(?=\s|$)/)
    .map((part) => splitWords(part.replace(/ [12]?>.*$/, '')))
    .map((words) =>
      words[0] === 'npx' && /^(?:@service\/|service-)cli$/.test(words[1] ?? '')
        ? ['service-cli', ...words.slice(2)]
        : words,
    )
    .filter(([program]) => program !== undefined);
}

const rows = [...listBlocks(), ...listGeneratedFiles().flatMap(readBlocks)]
  // tour.test.ts and scripts/setup-guides.ts run the commands of these pages.
  .filter(({ page }) => !['docs/start/tour.md', 'docs/start/setup.md'].includes(page))
  .filter(({ language }) => language === 'sh')
  .flatMap(({ page, code }) =>
    code
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .flatMap((line) => listCommands(line).map((words) => [words.join(' '), page, words] as const)),
  );

const scripts = (folder: string): readonly string[] => {
  const { scripts: found = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly scripts?: Readonly<Record<string, string>>;
  };
  return Object.keys(found);
};

/** Checks the name and the options of a command of `service-cli`. */
async function checkCli(words: readonly string[]): Promise<void> {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  const argumentsStart = own.findIndex((word) => !/^[a-z]+(?:-[a-z]+)*$/.test(word));
  const names = argumentsStart < 0 ? own : own.slice(0, argumentsStart);
  if (names[0] === 'sandbox') return checkSandbox(names, own.slice(names.length));
  const { code, stdout } = await runCli([...names, '--help', '--all']);
  expect(code).toBe(0);
  const [, name = '', usage = ''] = /^Usage: service-cli ([a-z -]*[a-z])?(.*)$/m.exec(stdout) ?? [];
  expect(`${own.join(' ')} `).toContain(`${name} `);
  expect(usage).not.toContain('[command]');
  const documented = stdout.match(/--[\w-]+/g) ?? [];
  const options = own.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
  const unknown = options.filter((option) => !documented.some((other) => other === option));
  expect(unknown).toEqual([]);
}

/** Checks the operation, the fields and the options of a command of `service-cli sandbox`. */
async function checkSandbox(names: readonly string[], others: readonly string[]): Promise<void> {
  const { stdout: help } = await runCli(['sandbox', '--help']);
  const options = others.filter((word) => word.startsWith('--') && word !== '--json' && word !== '--help');
  expect(options.filter((option) => !help.includes(option))).toEqual([]);
  if (names.length === 1) return;
  const env = { SERVICE_BASE_URL: server.baseUrl };
  const { code, stdout } = await runCli([...names, '--help', '--json'], { env });
  // A group lists its operations.
  expect([names, code, stdout.startsWith('{')]).toEqual([names, 0, true]);
  const fields = others.flatMap((word) => /^(\w+)[.\w]*=/.exec(word)?.[1] ?? []);
  expect(fields.filter((field) => !stdout.includes(`"${field}"`))).toEqual([]);
}

/** Sends the request of a curl command to a sandbox. */
async function checkCurl(words: readonly string[]): Promise<void> {
  const after = (option: string): string | undefined =>
    words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
  const { pathname, search } = new URL(words.find((word) => word.startsWith('http')) ?? '');
  const body = after('-d');
  const method = after('-X') ?? (body === undefined ? 'GET' : 'POST');
  const [name = 'accept', value = '*/*'] = after('-H')?.split(': ') ?? [];
  const response = await fetch(new URL(pathname + search, server.url), {
    method,
    headers: { [name]: value },
    ...(body === undefined ? {} : { body }),
  });
  expect(response.ok).toBe(true);
  await response.body?.cancel();
}

function checkNpm(words: readonly string[]): void {
  const [command = '', ...rest] = words;
  if (command === 'install') {
    const own = rest.filter((word) => word.startsWith('@service/'));
    const published = own.filter((name) => existsSync(join(root, 'packages', name.slice(9), 'README.md')));
    expect(published).toEqual(own);
  } else if (command === 'run') {
    const folder = rest.includes('-w') ? (rest[rest.indexOf('-w') + 1] ?? '') : '';
    expect(scripts(folder)).toContain(rest.find((word) => !word.startsWith('-')));
  } else expect(['ci', 'test']).toContain(command);
}

describe('the check of commands', () => {
  it.each([
    ['an unknown command', 'refund pay_1'],
    ['an unknown command of a group', 'sandbox clok advance 3s'],
    ['a group without a command', 'sandbox clock'],
    ['an unknown option', 'pay USD EUR 1.00 --nam A'],
  ])('rejects %s', async (_, line) => {
    await expect(checkCli(splitWords(line))).rejects.toThrow('expected');
  });
});

/** Checks that a script of this repository exists. */
function checkNode(words: readonly string[]): void {
  expect(words.filter((word) => word.endsWith('.ts') && existsSync(join(root, word)))).toHaveLength(1);
}

const checks: Readonly<Record<string, (words: readonly string[]) => void | Promise<void>>> = {
  'service-cli': checkCli,
  curl: checkCurl,
  npm: checkNpm,
  node: checkNode,
};
/** Programs whose arguments have another test, such as `test/container.test.ts`, and assignments. */
const unchecked = /^(?:chmod|docker|git|jq|printf|export|source|npx|[A-Z_]+=.*)$/;

describe('a command of a page', () => {
  it.each(rows.filter(([, , [program = '']]) => program in checks))(
    'works: %s (%s)',
    async (_, _page, [program = '', ...words]) => {
      await expect(Promise.resolve(words).then(checks[program])).resolves.toBeUndefined();
    },
  );

  // Without an installation npx would run a package of the name `service-cli`, which is not of this project.
  it.each(
    listPageFiles().filter((page) => readFileSync(join(root, page), 'utf8').includes('npx service-cli')),
  )('runs npx service-cli after an installation of @service/cli: %s', (page) => {
    expect(readFileSync(join(root, page), 'utf8')).toMatch(/@service\/cli/);
  });

  it('is of a known program', () => {
    const others = rows.map(([, , [program = '']]) => program).filter((program) => !(program in checks));
    expect(others.filter((program) => !unchecked.test(program))).toEqual([]);
  });
});
