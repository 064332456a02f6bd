// Runs the cases of test/runtimes with the packed packages in the named runtimes, or in all: npm run runtimes -- node20 deno
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { chromium } from 'playwright';
import { type RuntimeName, runtimeNames } from '../test/runtimes/case.ts';
import type { Report } from '../test/runtimes/entry.ts';
import { casesOn, exclusions } from '../test/runtimes/not-on.ts';
import { startCaseServer } from '../test/runtimes/server.ts';
import { findChromium } from '../test/support/chromium.ts';
import { pack, root } from './packed.ts';
import { capture, execute } from './run.ts';

/** The longest run of a runtime, in milliseconds. */
const TIME_LIMIT = 300_000;
const folder = mkdtempSync(join(tmpdir(), 'runtimes-'));

interface Runtime {
  /** The start of its version. */
  readonly version: string;
  readonly install?: string;
  /** Runs the cases with a server. Returns the version, if programs cannot read it in the runtime. */
  readonly run: (origin: string, report: Promise<Report>) => Promise<string | void>;
}

/** Runs a command in the folder of the packages. */
const start = (...command: readonly string[]): Promise<void> =>
  execute(command, { cwd: folder, signal: AbortSignal.timeout(TIME_LIMIT) });

function node(name: RuntimeName, version: string): Runtime {
  const platform = process.platform.replace('32', '');
  const program = join(folder, 'node_modules', name, 'bin/node');
  return {
    version: version.replace(/0$/, ''),
    install: `${name}@npm:node-${platform}-${process.arch}@${version}`,
    run: (origin) => start(program, 'entry.js', origin, name),
  };
}

const binary = (name: string): string => join(folder, 'node_modules/.bin', name);

const runtimes: Readonly<Record<RuntimeName, () => Runtime>> = {
  node20: () => node('node20', '20.16.0'),
  node22: () => node('node22', '22.13.0'),
  node24: () => ({
    version: '24.',
    run: (origin) => start(process.execPath, 'entry.js', origin, 'node24'),
  }),
  node26: () => node('node26', '26.10.0'),
  deno: () => ({
    version: '2.9.6',
    install: 'deno@2.9.6',
    run: (origin) => start(binary('deno'), 'run', '-A', '--no-check', 'entry.js', origin, 'deno'),
  }),
  bun: () => ({
    version: '1.4.5',
    install: 'bun@1.4.5',
    run: (origin) => start(binary('bun'), 'entry.js', origin, 'bun'),
  }),
  workerd: () => ({ version: '2026-11-17', install: 'workerd@1.20261117.1', run: runInWorkerd }),
  chromium: () => ({ version: '', run: runInChromium }),
};

async function runInWorkerd(origin: string): Promise<string> {
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "cases", worker = (
      modules = [(name = "worker", esModule = embed "bundle.js")],
      bindings = [(name = "ORIGIN", text = ${JSON.stringify(origin)})],
      compatibilityDate = "2026-01-01",
    )),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
);
`;
  writeFileSync(join(folder, 'workerd.capnp'), config);
  await bundle(['workerd', 'worker']);
  await start(binary('workerd'), 'test', 'workerd.capnp');
  return capture(binary('workerd'), ['--version']).replace('workerd ', '').trim();
}

async function runInChromium(origin: string, report: Promise<Report>): Promise<string> {
  await using browser = await chromium.launch({
    executablePath: (await findChromium()) ?? '',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const page = await browser.newPage();
  const failed = new Promise<never>((_resolve, reject) => {
    page.on('pageerror', reject);
    AbortSignal.timeout(TIME_LIMIT).addEventListener('abort', () => reject(new Error('No report came.')));
  });
  await page.goto(origin);
  await Promise.race([report, failed]);
  return browser.version();
}

const common: BuildOptions = { bundle: true, format: 'esm', target: 'es2022', logLevel: 'warning' };

/** Bundles the cases with the packages, for a runtime without `node_modules`. What is imported dynamically needs Node. */
async function bundle(conditions: string[]): Promise<string> {
  const external = {
    name: 'external',
    setup: (steps) =>
      steps.onResolve({ filter: /^(@service\/|node:)/ }, ({ kind, path }) =>
        kind === 'dynamic-import' ? { path, external: true } : undefined,
      ),
  } satisfies NonNullable<BuildOptions['plugins']>[number];
  const paths = { absWorkingDir: folder, entryPoints: ['entry.js'], outfile: 'bundle.js' };
  await build({ ...common, ...paths, conditions, plugins: [external] });
  return readFileSync(join(folder, 'bundle.js'), 'utf8');
}

/** Runs the cases in one runtime and prints their results. Returns whether each case of its list ran and passed. */
async function check(name: RuntimeName, { version: expected, run }: Runtime): Promise<boolean> {
  const server = await startCaseServer(name === 'chromium' ? await bundle(['browser']) : '');
  const ended = run(server.origin, server.report).finally(server.close);
  const [{ version: stated, results }, outside] = await Promise.all([
    Promise.race([server.report, ended.then(() => server.report)]),
    ended,
  ]);
  const version = stated ?? outside ?? '';
  for (const { runtimes: named, cases, reason } of exclusions)
    if (named.includes(name)) console.log(`  not on ${name}, because ${reason}: ${cases.length} cases`);
  const failed = results.filter(({ error }) => error !== undefined);
  for (const { name: title, error } of failed) console.log(`  FAILED ${title}\n    ${error}`);
  const ran = new Set(results.map((result) => result.name));
  const missing = casesOn(name).filter((each) => !ran.has(each.name));
  for (const { name: title } of missing) console.log(`  DID NOT RUN ${title}`);
  if (!version.startsWith(expected)) console.log(`  FAILED: expected version ${expected}`);
  console.log(`${name} ${version}: ${results.length - failed.length} passed, ${failed.length} failed`);
  return failed.length === 0 && missing.length === 0 && version.startsWith(expected);
}

const isKnown = (name: string): name is RuntimeName => Object.hasOwn(runtimes, name);
const names = process.argv.length > 2 ? process.argv.slice(2) : runtimeNames;
try {
  const unknown = names.filter((name) => !isKnown(name));
  if (unknown.length > 0) throw new Error(`Unknown: ${unknown.join()}. Known: ${runtimeNames.join(', ')}.`);
  const chosen = names.filter(isKnown).map((name) => ({ name, runtime: runtimes[name]() }));
  const tarballs = ['sdk', 'webhooks', 'mock'].map((name) => pack(name, folder).tarball);
  const installed = chosen.flatMap(({ runtime }) => runtime.install ?? []);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline'];
  capture('npm', ['install', ...quiet, ...tarballs, ...installed], folder);
  const paths = { entryPoints: [join(root, 'test/runtimes/entry.ts')], outfile: join(folder, 'entry.js') };
  await build({ ...common, ...paths, external: ['@service/*', 'node:*'] });
  for (const { name, runtime } of chosen) if (!(await check(name, runtime))) process.exitCode = 1;
} finally {
  // Windows releases the files of a process late.
  rmSync(folder, { recursive: true, maxRetries: 5 });
}
