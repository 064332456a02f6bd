import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from './support.ts';

/** Returns the candidates for the last word. */
async function complete(...words: string[]): Promise<string[]> {
  const { code, lines, stderr } = await runCli(['__complete', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return lines.map((line) => line.split('\t')[0]!);
}

describe('completion of service-cli', () => {
  it('lists the commands', async () => {
    expect(await complete('')).toEqual(
      expect.arrayContaining(['mock', 'pay', 'payment', 'sandbox', 'completion']),
    );
    expect(await complete('pay')).toEqual(['pay', 'payment']);
    expect(await complete('webhooks', 's')).toEqual(['sign']);
    expect(await complete('sandbox', 'clock', '')).toEqual(['show', 'advance', 'set', 'speed', 'help']);
  });

  it('lists the options of the command, then those of every command', async () => {
    const options = await complete('pay', 'USD', '--');
    expect(options).toEqual(expect.arrayContaining(['--name', '--wait', '--help', '--json', '--no-color']));
    expect(new Set(options).size).toBe(options.length);
    expect(await complete('sandbox', 'faults', 'inject', '--ret')).toEqual(['--retry-after']);
  });

  it.each([
    [
      ['payment', 'wait', 'pay_1', '--until', ''],
      ['final', 'pending', 'processing', 'completed', 'failed'],
    ],
    [
      ['payment', 'wait', '--until', '=', 'f'],
      ['final', 'failed'],
    ],
    [
      ['payment', 'wait', '--until', '='],
      ['final', 'pending', 'processing', 'completed', 'failed'],
    ],
    [['--no-color', 'mock', '--clock', 'm'], ['manual']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['transactions', '--per-page', ''], []],
    [['pay', 'x', 'y', 'z', ''], []],
  ])('of %j is %j', async (words, expected) => {
    expect(await complete(...words)).toEqual(expected);
  });

  it.each([
    [['mock', '--profile', '']],
    [['--key-file', '']],
    [['webhooks', 'verify', '']],
    [['webhooks', 'verify', '--secret-file', 'x']],
    [['sandbox', 'restore', '']],
  ])('of %j is left to the shell, as a file name', async (words) => {
    expect(await complete(...words)).toEqual([':files']);
  });

  it('has descriptions', async () => {
    expect((await runCli(['__complete', 'bal'])).stdout).toBe(
      'balance\tPrint the available balance of every wallet.\n',
    );
  });
});

const hasShell = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;
const shells = ['bash', 'zsh', 'fish'].filter(hasShell);

/** The commands that complete `WORDS` in each shell and print the candidates. */
const drivers: Record<string, (script: string, words: readonly string[]) => string[]> = {
  bash: (script, words) => [
    '--norc',
    '-c',
    `source ${script}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
    _service_cli; printf '%s\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (script, words) => [
    '-f',
    '-c',
    `compdef() { :; }; source ${script}; _files() { print -l *; }
    _describe() { local each; for each in "\${(@P)2}"; do print -r -- "\${each%%:*}"; done; }
    words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _service_cli`,
  ],
  fish: (script, words) => ['--no-config', '-c', `source ${script}; complete -C '${words.join(' ')}'`],
};

describe.each(shells)('completion in %s', (shell) => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'completion-'));
    const bin = new URL('../bin/service-cli.js', import.meta.url).pathname;
    writeFileSync(join(folder, 'service-cli'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
    chmodSync(join(folder, 'service-cli'), 0o755);
    writeFileSync(join(folder, 'my profile.json'), '{}');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function completeIn(...words: string[]): Promise<string[]> {
    const script = join(folder, `service-cli.${shell}`);
    writeFileSync(script, (await runCli(['completion', shell])).stdout);
    const stdout = execFileSync(shell, drivers[shell]!(script, ['service-cli', ...words]), {
      cwd: folder,
      env: { ...process.env, HOME: folder, PATH: `${folder}${delimiter}${process.env.PATH}` },
    });
    const lines = stdout.toString().trimEnd().split('\n');
    return lines.map((line) => line.split('\t')[0]!.trim());
  }

  it('completes commands, options and values', async () => {
    expect((await completeIn('pay')).toSorted()).toEqual(['pay', 'payment']);
    expect(await completeIn('pay', '--na')).toEqual(['--name']);
    expect((await completeIn('payment', 'wait', 'pay_1', '--until', 'f')).toSorted()).toEqual([
      'failed',
      'final',
    ]);
    expect((await completeIn('webhooks', '')).length).toBeGreaterThan(5);
  });

  it('completes file names', async () => {
    const files = await completeIn('mock', '--profile', 'my');
    expect(files.map((name) => name.replaceAll('\\', ''))).toContain('my profile.json');
  });
});

describe('the tests of completion', () => {
  it('use at least one real shell', () => {
    expect(shells).not.toEqual([]);
  });
});
