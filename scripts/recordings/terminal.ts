import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** A command to run in a pseudo-terminal. */
export interface TerminalRun {
  readonly command: string;
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file to which the program writes its process id. */
  readonly pidFile: string;
  /** Kills the program when its output matches. */
  readonly killAt?: RegExp | undefined;
}

/** Runs a command in a pseudo-terminal of util-linux, and returns its output with escape sequences. */
export function runInTerminal({ command, columns, env, pidFile, killAt }: TerminalRun): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn('script', ['-qec', `stty cols ${columns} rows 100; ${command}`, '/dev/null'], {
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', TERM: 'xterm-256color', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  let isKilled = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (isKilled || killAt?.test(stripVTControlCharacters(output)) !== true) return;
    isKilled = true;
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  });
  child.on('error', reject);
  child.on('close', () => {
    if (killAt !== undefined && !isKilled) reject(new Error(`${command} ended before ${String(killAt)}.`));
    else resolve(output);
  });
  return promise;
}
