import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { commands } from '../src/commands.ts';
import { createOutput } from '../src/output.ts';
import { addCommands, createProgram } from '../src/program.ts';
import { expectRefusals, it, runCli, testKey } from './support.ts';

/** Returns the words of each command, from the definitions of all, with its options that have a value. */
async function listValues(): Promise<(readonly [command: string, option: string])[]> {
  const sink = { write: () => {} };
  const output = createOutput({ argv: [], env: {}, stdout: sink, stderr: sink } as never, false, false);
  const program = createProgram(output, () => {});
  const words = commands.flatMap(({ name }) => name.split(' '));
  await addCommands(program, words, async () => {});
  const list = (command: Command, name: string): (readonly [string, string])[] => [
    ...command.options.flatMap(({ long, required }) => (required ? [[name, String(long)] as const] : [])),
    ...command.commands.flatMap((each) => list(each, `${name} ${each.name()}`.trim())),
  ];
  const own = list(program, '');
  const globals = own.filter(([name]) => name === '').map(([, option]) => ['balance', option] as const);
  return [...globals, ...own.map(([name, option]) => [name || 'pay', option] as const)];
}

const all = await listValues();
/** An empty folder that must stay empty. */
let cwd = '';
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'option-values-'));
});
afterAll(async () => {
  const left = await readdir(cwd);
  await rm(cwd, { recursive: true });
  expect(left).toEqual([]);
});
const refusal = { env: { SERVICE_API_KEY: testKey }, signal: AbortSignal.abort() };
const fetch = (): never => {
  throw new Error('must not be called');
};

/** Runs a command that exits 2, with a fetch that must not be called. */
async function readRefusal(argv: string[]): Promise<string> {
  const { code, stderr } = await runCli(argv, { ...refusal, cwd, fetch });
  expect({ argv, code }).toEqual({ argv, code: 2 });
  return stderr;
}

describe('the value of an option', () => {
  it('belongs to more than 80 options of more than 15 commands', () => {
    expect(all.length).toBeGreaterThan(80);
    expect(new Set(all.map(([command]) => command)).size).toBeGreaterThan(15);
  });

  it('is never another option, for each option of each command', async () => {
    for (const [command, option] of all)
      for (const next of [
        '--json',
        '--no-color',
        '--not-an-option',
        option,
        '--dry-run=1',
        '--',
        '-h',
        '-V',
      ]) {
        const stderr = await readRefusal([...command.split(' '), option, next]);
        expect(stderr).toMatch(`error: The value of ${option} is missing: ${next} follows it.`);
        expect(stderr).toMatch(new RegExp(`write ${option}='?${next}`));
      }
  });

  it('is never empty, for each option of each command', async () => {
    for (const [command, option] of all.filter((each) => each[1] !== '--signature'))
      for (const words of [[option, ''], [`${option}=`], [option, '', '--json']])
        expect(await readRefusal([...command.split(' '), ...words])).toMatch(
          `error: The value of ${option} is empty.`,
        );
  });

  it('is never empty, for an argument', async () => {
    await expectRefusals({ ...refusal, cwd }, [
      [['pay-file', ''], 'The value of file is empty.'],
      [['pay-file', '--yes', ''], 'The value of file is empty.'],
      [['payment', 'get', ''], 'The value of id is empty.'],
      [['webhooks', 'verify', ''], 'The value of file is empty.'],
      [['sandbox', 'restore', ''], 'The value of words is empty.'],
    ]);
  });

  it('is refused if it is an option among other words', async () => {
    const missing = /The value of --[a-z-]+ is missing: --[a-z-]* follows it/;
    await expectRefusals({ ...refusal, cwd }, [
      ['pay-file f.csv --yes --store --dry-run', missing],
      ['pay USD EUR 5 --name Acme --idempotency-key --wait', missing],
      ['--base-url --json pay USD EUR 5 --name Acme', missing],
      ['chaos --only a,b --profile --json -- npm test', missing],
      ['sandbox endpoint set url=http://localhost --secret-file --json', missing],
    ]);
  });

  it('is named in the text and in the document of its error', async () => {
    const secret = ['webhooks', 'verify', '--signature', 'a', '--secret-file', '/nowhere'];
    const pay = ['pay', 'USD', 'EUR', '5'];
    const rows: readonly (readonly [option: string, argv: readonly string[]])[] = [
      ['--timeout', ['balance', '--timeout', '5']],
      ['--name', [...pay, '--name', '']],
      ['--name', [...pay, '--name', '1E+12']],
      ['--idempotency-key', [...pay, '--name', 'Acme', '--idempotency-key', 'é']],
      ['--base-url', ['balance', '--base-url', 'nowhere']],
      ['--key-file', ['balance', '--key-file', '/nowhere']],
      ['--secret-file', secret],
      ['--until', ['webhooks', 'listen', '--until', 'completed']],
      ['--expect', ['probe', '--expect', '/nowhere']],
      ['--profile', ['mock', '--profile', '/nowhere']],
      ['--seed-file', ['mock', '--seed-file', '/nowhere.yaml']],
      ['--seed-file', ['dev', '--seed-file', '/nowhere.yaml', '--', 'true']],
      ['--webhook-url', ['mock', '--webhook-url', 'ftp://hooks.example']],
      ['--allow-webhook-host', ['mock', '--allow-webhook-host', 'http://hooks.example']],
      ['--data', ['mock', '--data', '/nowhere/mock.db']],
    ];
    for (const [option, argv] of rows) {
      const { code, stderr, document } = await runCli([...argv.slice(0, 1), '--json', ...argv.slice(1)], {
        ...refusal,
        cwd,
        fetch,
      });
      expect({ argv, code, document }).toMatchObject({ code: 2, document: { error: { option } } });
      expect(stderr).toContain(option);
    }
  });

  it('begins with two hyphens after an equals sign', async ({ mockServer }) => {
    const pay = ['pay', 'USD', 'EUR', '5', '--json', '--name=--wait', '--purpose=--json'];
    const { code, document } = await mockServer.run(pay);
    expect({ code, document }).toMatchObject({
      code: 0,
      document: { beneficiary: { name: '--wait' }, purpose: '--json' },
    });
  });

  it('is stdin, a negative number, an equals sign, or another text with one hyphen', async ({
    mockServer,
  }) => {
    const { env, key } = mockServer;
    const { SERVICE_BASE_URL = '' } = env;
    const pay = ['pay', 'USD', 'EUR', '5', '--json', '--name', 'Acme', '--key-file', '-', '--purpose'];
    for (const purpose of ['-5', '-x', '=', '- note']) {
      const { document } = await runCli([...pay, purpose], { env: { SERVICE_BASE_URL }, stdin: key });
      expect(document).toMatchObject({ purpose });
    }
    const negative = await runCli(['smoke', '--amount', '-5'], { env });
    expect(negative.code).toBe(2);
    expect(negative.stderr).not.toContain('The value of');
  });

  it('is not looked for in the command after --', async () => {
    const { stderr } = await runCli(['dev', '--', 'sh', '--store', '--dry-run', ''], {
      env: { PATH: '/nonexistent' },
    });
    expect(stderr).not.toContain('The value of');
  });
});
