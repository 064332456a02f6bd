import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/commands.ts';
import { createOutput } from '../src/output.ts';
import { addCommands, createProgram } from '../src/program.ts';
import { runCli, startMockServer, testKey } from './support.ts';

/** Returns the words of each command, from the definitions of all, with its options that have a value. */
async function listValues(): Promise<(readonly [command: string, option: string])[]> {
  const sink = { write: () => {} };
  const output = createOutput({ argv: [], env: {}, stdout: sink, stderr: sink } as never, false, false);
  const program = createProgram(output, () => {});
  const words = commands.flatMap(({ name }) => name.split(' '));
  await addCommands(program, words, () => async () => {});
  const list = (command: Command, name: string): (readonly [string, string])[] => [
    ...command.options.flatMap(({ long, required }) => (required ? [[name, String(long)] as const] : [])),
    ...command.commands.flatMap((each) => list(each, `${name} ${each.name()}`.trim())),
  ];
  const own = list(program, '');
  const globals = own.filter(([name]) => name === '').map(([, option]) => ['balance', option] as const);
  return [...globals, ...own.map(([name, option]) => [name || 'pay', option] as const)];
}

const all = await listValues();
const fetch = (): never => {
  throw new Error('must not be called');
};

/** Runs a command in an empty folder that must stay empty, with a fetch that must not be called. */
async function expectRefusal(argv: string[]): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'option-values-'));
  const options = { cwd, fetch, env: { SERVICE_API_KEY: testKey }, signal: AbortSignal.abort() };
  const { code, stderr } = await runCli(argv, options);
  expect({ argv, code }).toEqual({ argv, code: 2 });
  expect(await readdir(cwd)).toEqual([]);
  return stderr;
}

describe('the value of an option', () => {
  it('belongs to more than 100 options of more than 40 commands', () => {
    expect(all.length).toBeGreaterThan(100);
    expect(new Set(all.map(([command]) => command)).size).toBeGreaterThan(40);
  });

  it.each(all)('%s %s is never another option', async (command, option) => {
    for (const next of ['--json', '--no-color', '--not-an-option', option, '--dry-run=1', '--', '-h', '-V']) {
      const stderr = await expectRefusal([...command.split(' '), option, next]);
      expect(stderr).toMatch(`error: The value of ${option} is missing: ${next} follows it.`);
      expect(stderr).toMatch(new RegExp(`write ${option}='?${next}`));
    }
  });

  it.each(all.filter(([, option]) => option !== '--signature'))(
    '%s %s is never empty',
    async (command, option) => {
      for (const words of [[option, ''], [`${option}=`], [option, '', '--json']])
        expect(await expectRefusal([...command.split(' '), ...words])).toMatch(
          `error: The value of ${option} is empty.`,
        );
    },
  );

  it.each([
    [['pay-file', ''], 'file'],
    [['pay-file', '--yes', ''], 'file'],
    [['payment', 'get', ''], 'id'],
    [['webhooks', 'verify', ''], 'file'],
    [['sandbox', 'restore', ''], 'file'],
    [['--json', 'sandbox', 'payment', 'complete', ''], 'payment'],
    [['pay', '--file', '', '--status'], 'file'],
  ])('%j has no empty argument', async (argv, name) => {
    expect(await expectRefusal(argv)).toMatch(`error: The value of ${name} is empty.`);
  });

  it.each([
    ['pay-file', 'f.csv', '--yes', '--store', '--dry-run'],
    ['pay', '--file', 'f.csv', '--store', '--status'],
    ['pay', 'USD', 'EUR', '5', '--name', '--json', '--wait'],
    ['pay', 'USD', 'EUR', '5', '--name', 'Acme', '--idempotency-key', '--wait'],
    ['--base-url', '--json', 'pay', 'USD', 'EUR', '5', '--name', 'Acme'],
    ['mock', '--data', '--quiet'],
    ['mock', '--seed', '--', '--quiet'],
    ['chaos', '--only', '--seed', '1', '--', 'npm', 'test'],
    ['chaos', '--only', 'a', 'b', '--profile', '--json', '--', 'npm', 'test'],
    ['sandbox', 'faults', 'inject', 'status', '--type', '--times', '2'],
  ])('is refused in `%s %s %s %s %s %s %s %s`', async (...argv) => {
    expect(await expectRefusal(argv)).toMatch(/The value of --[a-z-]+ is missing: --[a-z-]* follows it/);
  });

  it('begins with two hyphens after an equals sign', async () => {
    await using mockServer = await startMockServer();
    const pay = ['pay', 'USD', 'EUR', '5', '--json', '--name=--wait', '--purpose=--json'];
    const { code, document } = await runCli(pay, mockServer);
    expect({ code, document }).toMatchObject({
      code: 0,
      document: { beneficiary: { name: '--wait' }, purpose: '--json' },
    });
  });

  it('is stdin, a negative number, an equals sign, or another text with one hyphen', async () => {
    await using mockServer = await startMockServer();
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
