import { execFile, type ExecFileOptions, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

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

/**
 * Runs a command beside other ones.
 *
 * @throws {Error} with its output when the command does not exit with 0
 */
export async function execute(
  [program = '', ...args]: readonly string[],
  options: ExecFileOptions,
): Promise<void> {
  await promisify(execFile)(program, args, { ...options, maxBuffer: 1e8 }).catch(
    ({ message, stdout }: { readonly message: string; readonly stdout: string }) => {
      throw new Error(`${message}\n${stdout}`);
    },
  );
}

/** Runs a step for each item, as many at once as there are processors, also after a failure. Returns whether all succeed. */
export async function runEach<T>(items: readonly T[], step: (item: T) => Promise<boolean>): Promise<boolean> {
  const queue = items.values();
  let isSuccess = true;
  const runSteps = async (): Promise<void> => {
    for (const item of queue) isSuccess = (await step(item)) && isSuccess;
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runSteps));
  return isSuccess;
}
