import controlDocument from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { sign } from '@service/webhooks';
import { describe, expect } from 'vitest';
import { childEnv } from '../../../test/support/child-env.ts';
import { end } from './chaos.support.ts';
import { expectNoSecret, it, keepSecret, makeFolder, openService, startMockServer } from './support.ts';

const bin = new URL('../bin/service-cli.js', import.meta.url).pathname;

function start(argv: string[], env: Record<string, string> = {}, script = bin): ChildProcess {
  return spawn(process.execPath, [script, ...argv], { env: { ...childEnv, ...env } });
}

/** Writes to stdin of a process, and resolves at its end. */
async function finish(child: ChildProcess, stdin: string | Uint8Array = '') {
  // A command that fails early does not read its input.
  child.stdin!.on('error', () => {}).end(stdin);
  const ended = await end(child);
  expectNoSecret(ended.stderr);
  return ended;
}

describe('the binary on Node 20', () => {
  it('exits 2 and names the version that it needs and an alternative', async () => {
    const versions = "{ value: { ...process.versions, node: '20.19.0' } }";
    const code = `Object.defineProperty(process, 'versions', ${versions})`;
    const flag = `--import=data:text/javascript,${encodeURIComponent(code)}`;
    expect(await finish(start(['balance'], { NODE_OPTIONS: flag }))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `service-cli needs Node 22.13 or later; this is ${process.version}. Install a later Node, or run the mock in your tests with @service/mock.\n`,
    });
  });
});

describe('service-cli binary', () => {
  it('pays and waits in a separate process', async ({ mockServer }) => {
    const argv = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--account', 'SIM-INSTANT', '--wait'];
    const { code, stdout, stderr } = await finish(start(argv, mockServer.env));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/ {2}completed\n$/);
    expectNoSecret(stdout);
  });

  it('reads raw bytes from a pipe', async () => {
    const bytes = new Uint8Array([0xff, 0xfe, 0x0d, 0x0a]);
    const verifying = start(['webhooks', 'verify', '--signature', sign(bytes, 'a secret')], {
      SERVICE_WEBHOOK_SECRET: 'a secret',
    });
    const { code, stderr } = await finish(verifying, bytes);
    expect(code).toBe(4);
    expect(stderr).toContain('invalid_utf8');
  });

  it('stops the mock with exit 0 on SIGTERM', async () => {
    const child = start(['mock', '--port', '0', '--grace', '500ms', '--json', '--quiet']);
    const [first] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
    const { baseUrl } = JSON.parse(first) as { baseUrl: string };
    expect((await fetch(`${baseUrl}/balance`)).status).toBe(401);
    child.kill('SIGTERM');
    expect(await finish(child)).toMatchObject({ code: 0, stderr: '' });
    await expect(fetch(`${baseUrl}/balance`)).rejects.toThrow('fetch failed');
  });

  it('starts the mock without modules of Node that a start does not need', async () => {
    const code = "process.on('exit', () => process.stderr.write(process.moduleLoadList.join()))";
    const flag = `--import=data:text/javascript,${encodeURIComponent(code)}`;
    const child = start(['mock', '--port', '0', '--quiet'], { NODE_OPTIONS: flag });
    await once(child.stdout!, 'data');
    child.kill('SIGTERM');
    const { stderr } = await finish(child);
    const loaded = stderr.split(',');
    expect(loaded).toContain('NativeModule http');
    for (const name of ['crypto', 'internal/deps/undici/undici', 'internal/fs/promises', 'worker_threads'])
      expect(loaded).not.toContain(`NativeModule ${name}`);
  });

  it('exits 0 without a message if the output pipe is closed', async () => {
    await using mockServer = await startMockServer({ clock: 'manual' });
    const argv = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--json'];
    const { stdout } = await finish(start(argv, mockServer.env));
    const { id } = JSON.parse(stdout) as { id: string };
    const child = start(['payment', 'wait', id], mockServer.env);
    child.stdout!.once('data', () => {
      child.stdout!.destroy();
      mockServer.mock.sandbox.payments.complete(id);
    });
    expect(await end(child)).toMatchObject({ code: 0, stderr: '' });
  });

  it('stops on the first Ctrl+C while it reads stdin', async () => {
    const child = start(['webhooks', 'verify', '--signature', 'a'.repeat(64)], {
      SERVICE_WEBHOOK_SECRET: 'a secret',
    });
    const ended = end(child);
    child.stdin!.on('error', () => {});
    // Larger than a pipe buffer: once it is written, the process has started to read.
    await new Promise<void>((written) => child.stdin!.write(new Uint8Array(8_000_000), () => written()));
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: Standard input could not be read to its end\.\n/);
  });

  it.each([
    ['is not built', [], 'service-cli is not built yet: run `npm run build` first.'],
    [
      'lacks a dependency',
      [['main.js', "import 'not-there';"]],
      "service-cli cannot start: Cannot find package 'not-there'",
    ],
  ])('reports in one line that it %s', async (_, files, expected) => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    cpSync(bin, join(folder, 'bin', 'service-cli.js'), { recursive: true });
    mkdirSync(join(folder, 'dist'));
    for (const [name, text] of files) writeFileSync(join(folder, 'dist', name!), text!);
    const { code, stderr } = await finish(start([], {}, join(folder, 'bin', 'service-cli.js')));
    expect(code).toBe(2);
    expect(stderr.startsWith(expected)).toBe(true);
    expect(stderr.indexOf('\n')).toBe(stderr.length - 1);
  });
});

describe('an installed service-cli in a cloned folder', () => {
  /** Installs the packages in a folder as npm does, and creates a folder whose packages write a file when they are loaded. */
  function install() {
    const root = makeFolder();
    const modules = join(root, 'lib', 'node_modules');
    const own = join(modules, '@service', 'cli');
    for (const name of ['bin', 'dist', 'package.json'])
      cpSync(new URL(`../${name}`, import.meta.url), join(own, name), { recursive: true });
    const link = (name: string): void => {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(dirname(findPackageJSON(name, import.meta.url) ?? ''), join(modules, name));
    };
    for (const name of [
      '@service/mock',
      '@service/probe',
      '@service/sdk',
      '@service/webhooks',
      'string-width',
    ])
      link(name);
    const cloned = join(root, 'cloned');
    const marker = join(root, 'loaded');
    for (const name of ['pg', 'pg-native', 'string-width', '@service/sdk', '@service/mock', 'csv-parse']) {
      const folder = join(cloned, 'node_modules', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        join(folder, 'index.js'),
        `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`,
      );
    }
    writeFileSync(join(cloned, 'payments.csv'), 'reference,from,to,amount,name\nA,USD,EUR,1,Acme\n');
    const run = async (argv: string[]) => {
      const env = {
        ...childEnv,
        SERVICE_API_KEY: keepSecret('service_test_of_the_caller_00000'),
      };
      const script = join(own, 'bin', 'service-cli.js');
      return await finish(spawn(process.execPath, [script, ...argv], { cwd: cloned, env }));
    };
    return { run, hasLoaded: () => existsSync(marker) };
  }

  it('loads no package of the folder by any command', async () => {
    const { run, hasLoaded } = install();
    const all = [
      ['balance'],
      ['mock', '--port', 'x'],
      ['pay-file', 'payments.csv', '--dry-run'],
      ['probe'],
      ['--help'],
    ];
    await Promise.all(all.map(run));
    expect(hasLoaded()).toBe(false);
  });
});

describe('service-cli binary with webhooks listen', () => {
  const argv = ['webhooks', 'listen', '--sandbox', '--port', '0'];

  /** Resolves when the process listens. */
  async function ready(child: ChildProcess): Promise<void> {
    for await (const line of createInterface({ input: child.stderr! }))
      if (line.startsWith('Listening on ')) return;
  }

  it('restores the endpoint and exits 0 on SIGHUP', async ({ mockServer }) => {
    const child = start(argv, mockServer.env);
    await ready(child);
    expect(mockServer.mock.sandbox.webhooks.endpoint()).not.toBeNull();
    child.kill('SIGHUP');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(mockServer.mock.sandbox.webhooks.endpoint()).toBeNull();
  });

  it('stops on the second Ctrl+C if the mock does not respond to the restore', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const answers = [
      { status: 'ok', version: '0' },
      controlDocument,
      { id: 'acc_1' },
      { endpoint: null },
      { secret: 'a secret of a sandbox' },
    ];
    await using sandbox = await openService((_, response) => {
      const answer = answers.shift();
      if (answer === undefined) resolve();
      else response.end(JSON.stringify(answer));
    });
    const child = start(argv, sandbox.env);
    await ready(child);
    child.kill('SIGINT');
    await asked;
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
  });
});
