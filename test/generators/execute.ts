import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';

export const root: string = import.meta.dirname;

/** The environment of all commands: programs of this folder come first, and caches stay in `out`. */
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [
    ...['out/venv/bin', 'out/bin', 'node_modules/.bin'].map((folder) => join(root, folder)),
    dirname(process.execPath),
    process.env['PATH'],
  ].join(delimiter),
  GOMODCACHE: join(root, 'out/go/modules'),
  GOCACHE: join(root, 'out/go/build'),
  GOBIN: join(root, 'out/bin'),
  GOFLAGS: '-modcacherw',
  PIP_CACHE_DIR: join(root, 'out/pip'),
  PYTHONDONTWRITEBYTECODE: '1',
  HYPOTHESIS_STORAGE_DIRECTORY: join(root, 'out/hypothesis'),
  npm_config_cache: join(root, 'out/npm'),
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};

/**
 * Runs a command in this folder and returns its standard output. Spaces separate arguments, so paths are relative.
 *
 * @throws {Error} when the command does not exit with 0 within 15 minutes
 */
export async function execute(command: string, variables?: NodeJS.ProcessEnv): Promise<string> {
  const [program = '', ...args] = command.split(' ');
  const child = spawn(program, args, {
    cwd: root,
    env: { ...environment, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 900_000,
  });
  let output = '';
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    log += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) {
    throw new Error(`${command.slice(0, 400)}\nexited with ${String(code)}\n${log.slice(-4000)}`);
  }
  return output;
}

/** Formats the time since a start as seconds. */
export function formatSeconds(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(0);
}
