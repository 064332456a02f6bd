// Completion in the shells of the system.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from './support.ts';

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

describe.each(Object.keys(drivers))('completion in %s', (shell) => {
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
    expect((await completeIn('pay')).toSorted()).toEqual(['pay', 'pay-file', 'payment']);
    expect(await completeIn('pay', '--na')).toEqual(['--name']);
    expect((await completeIn('webhooks', 'listen', '--until', 'payment.p')).toSorted()).toEqual([
      'payment.pending',
      'payment.processing',
    ]);
    expect((await completeIn('webhooks', '')).length).toBeGreaterThan(2);
  });

  it('completes file names', async () => {
    const files = await completeIn('mock', '--profile', 'my');
    expect(files.map((name) => name.replaceAll('\\', ''))).toContain('my profile.json');
  });
});
