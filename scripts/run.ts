import { spawnSync } from 'node:child_process';

/** Runs a command with inherited output. Returns whether it exits with 0. */
export function run(command: string, args: readonly string[], cwd?: string): boolean {
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    cwd,
    shell: process.platform === 'win32',
  });
  if (error !== undefined) console.error(error.message);
  return status === 0;
}

/**
 * Runs a command and returns its standard output.
 *
 * @throws {Error} when the command does not exit with 0
 */
export function capture(command: string, args: readonly string[], cwd?: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    cwd,
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${status}\n${stdout}${stderr}`);
  return stdout;
}
