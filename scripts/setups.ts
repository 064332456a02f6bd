// Follows the guides of docs/start/setup.md up to their first success, and tests the examples: copies each to a temporary folder,
// installs the packed packages from a local registry, and runs its tests, or with `--chaos` its scenarios of `service-cli chaos`.
// Arguments name guides and examples; without any, all run.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findPostgres, startPostgres } from '../packages/webhooks/test/stores/servers.ts';
import { findChromium } from '../test/support/chromium.ts';
import { findClosedPort } from '../test/support/listen.ts';
import { installNode, pack, packages, root } from './packed.ts';
import { createEnvironment, serveRegistry } from './registry.ts';
import { execute } from './run.ts';
import { guides, runGuide } from './setup-guides.ts';

interface Setup {
  readonly purpose: string;
  /** The oldest supported version of Node. Without it, the version of this repository. */
  readonly node?: string;
  /** Opens a resource that the example needs. */
  readonly open?: () => Promise<Resource>;
}

/** What an example needs: environment variables, and a cleanup. */
interface Resource {
  readonly env: NodeJS.ProcessEnv;
  readonly stop?: () => Promise<void>;
}

const setups: Readonly<Record<string, Setup>> = {
  'express-payouts': { purpose: 'Express, Postgres, vitest', node: '20.19.0', open: openPostgres },
  'supplier-run': { purpose: 'payment run, Postgres, worker', open: openPostgres },
  'durable-payouts': { purpose: 'durable workflow, DBOS, Postgres', open: openPostgres },
  'commonjs-jest': { purpose: 'CommonJS, jest', node: '20.16.0' },
  'react-checkout': { purpose: 'Vite, React, MSW, browser tests', open: openChromium },
  'next-app': { purpose: 'Next, build without secrets' },
  'ci-smoke': { purpose: 'shell, gate of a deployment', open: openPort },
  'hono-workers': { purpose: 'Hono, Cloudflare workers, Durable Objects' },
  lambda: { purpose: 'AWS Lambda, DynamoDB' },
  'python-webhooks': { purpose: 'Python, HTTP mock' },
  'go-webhooks': { purpose: 'Go, HTTP mock' },
  'php-webhooks': { purpose: 'PHP, HTTP mock' },
};

async function openPostgres(): Promise<Resource> {
  const { url, stop } = await startPostgres(findPostgres());
  return { env: { DATABASE_URL: url }, stop };
}

/** Finds Chromium. Playwright finds its browser without the variable. */
async function openChromium(): Promise<Resource> {
  const path = await findChromium();
  const { LD_LIBRARY_PATH } = process.env; // set for the libraries of the Chromium of npm
  return { env: path === undefined ? {} : { CHROMIUM_PATH: path, LD_LIBRARY_PATH } };
}

/** Finds a free port for a mock, because another program can use the default port. */
async function openPort(): Promise<Resource> {
  return { env: { PORT: String(await findClosedPort()) } };
}

/** Installs and tests one example. Returns its row in the table. */
async function runSetup(name: string): Promise<string> {
  const { purpose, node, open } = setups[name] as Setup;
  const project = join(folder, name);
  const skipped = /(?:^|[/\\])(?:node_modules|dist|\.next)$/;
  cpSync(join(root, 'examples', name), project, { recursive: true, filter: (path) => !skipped.test(path) });
  writeFileSync(join(project, '.npmrc'), `@service:registry=${registry.url}\naudit=false\nfund=false\n`);
  const program =
    // The command line needs a later Node than some examples.
    node === undefined || hasChaos
      ? dirname(process.execPath)
      : installNode(node, join(folder, `node-${node}`));
  const resource = await open?.();
  const env = { ...createEnvironment(program), ...resource?.env };
  try {
    const startedAt = performance.now();
    await execute(['npm', 'install', '--prefer-offline'], { cwd: project, env });
    const installedAt = performance.now();
    const test = hasChaos ? ['npm', 'run', 'chaos', '--if-present'] : ['npm', 'test'];
    await execute(test, { cwd: project, env });
    const [install, tested] = [installedAt - startedAt, performance.now() - installedAt].map(toSeconds);
    return `| ${name} | ${purpose} | ${node ?? process.versions.node} | ${install} s | ${tested} s |`;
  } finally {
    await resource?.stop?.();
  }
}

/** The goal of a guide: its first success within two minutes. */
const GOAL = 120_000;

/** Follows a guide in an empty folder. Returns its row in the table. */
async function followGuide(name: keyof typeof guides): Promise<string> {
  const env = {
    ...createEnvironment(dirname(process.execPath)),
    'npm_config_@service:registry': registry.url,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };
  const { commands, milliseconds } = await runGuide(name, {
    folder: mkdtempSync(join(folder, 'guide-')),
    env,
  });
  if (milliseconds > GOAL) throw new Error(`The first success took ${toSeconds(milliseconds)} s.`);
  return `| guide ${name} | ${guides[name]} | ${process.versions.node} | ${commands} commands | ${toSeconds(milliseconds)} s |`;
}

const given = process.argv.slice(2);
const hasChaos = given.includes('--chaos');
const asked = given.filter((word) => word !== '--chaos');
const all = [...(hasChaos ? [] : Object.keys(guides)), ...Object.keys(setups)];
const names = asked.length > 0 ? asked : all;
const unknown = names.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. The guides and examples are: ${all.join(', ')}.`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'setups-'));
const registry = await serveRegistry(packages.map((name) => pack(name, folder)));
const toSeconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(0);
const rows = ['| example | setup | node | install | test |', '| - | - | - | - | - |'];
try {
  for (const name of names) {
    try {
      rows.push(
        Object.hasOwn(guides, name) ? await followGuide(name as keyof typeof guides) : await runSetup(name),
      );
    } catch (error) {
      process.exitCode = 1;
      console.error(`\n${name}: ${(error as Error).message}\n`);
      rows.push(`| ${name} | FAILED | | | |`);
    }
    console.log(rows.at(-1));
  }
} finally {
  registry.close();
  rmSync(folder, { recursive: true });
}
console.log(`\n${rows.join('\n')}`);
