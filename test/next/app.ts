import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

/** The files of every app. Without JSX, which Next does not compile within node_modules. */
const commonFiles = {
  'package.json': '{ "private": true, "type": "module" }',
  'app/layout.js': `import { createElement } from 'react';
export default function Layout({ children }) {
  return createElement('html', null, createElement('body', null, children));
}`,
};

/** A folder with the version of Next to use, the files of the app, and environment variables. */
export interface NextAppOptions {
  readonly install: string;
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A running process of Next. */
export interface NextProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** The lines of its output. */
  readonly log: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Creates an app of Next. */
export function createNextApp({ install, files, env = {} }: NextAppOptions) {
  if (!existsSync(join(root, 'packages/mock/dist/next.js')))
    throw new Error('Next loads the built package: run npm run build first.');
  const next = createRequire(join(install, 'package.json')).resolve('next/dist/bin/next');
  // Next resolves packages from the folder of the app upwards.
  const folder = mkdtempSync(join(install, 'node_modules/.next-app-'));
  for (const [path, text] of Object.entries({ ...commonFiles, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { PATH, HOME } = process.env;
  const options = {
    cwd: folder,
    env: { PATH, HOME, NEXT_TELEMETRY_DISABLED: '1', STORE_FILE: join(folder, 'store.json'), ...env },
  };
  const running = new Set<NextProcess>();

  /** Starts Next at a free port, in a separate process. */
  const start = async (command: 'dev' | 'start'): Promise<NextProcess> => {
    const child = spawn(process.execPath, [next, command, '-p', '0'], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
    for await (const line of createInterface({ input: child.stdout })) {
      log.push(line);
      const [, url] = /Local: +(\S+)/.exec(line) ?? [];
      if (url === undefined) continue;
      child.stdout.resume();
      const started: NextProcess = {
        child,
        url,
        log,
        stop: async () => {
          running.delete(started);
          if (child.exitCode !== null || child.signalCode !== null) return;
          child.kill('SIGTERM');
          await once(child, 'exit');
        },
      };
      running.add(started);
      return started;
    }
    throw new Error(`Next did not start: ${log.join('\n')}`);
  };
  return {
    folder,
    start,
    /** Builds the app for `start`, and resolves with the output. */
    build: async (): Promise<string> =>
      (await promisify(execFile)(process.execPath, [next, 'build'], options)).stdout,
    remove: async (): Promise<void> => {
      await Promise.all([...running].map(async ({ stop }) => stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
