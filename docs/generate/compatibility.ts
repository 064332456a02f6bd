// The versions of runtimes and libraries that the packages need, and those that the tests run.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { compilers } from '../../scripts/consumers.ts';
import { formatCode, formatTable, type Pages } from './markdown.ts';

const root = join(import.meta.dirname, '../..');

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const readText = (path: string): string => readFileSync(join(root, path), 'utf8');
const readManifest = (path: string): Manifest => JSON.parse(readText(path)) as Manifest;
const list = (pattern: string): string[] => globSync(pattern, { cwd: root }).toSorted();

/** Returns the package.json files of the published packages. */
export function listPackages(): Manifest[] {
  return list('packages/*/package.json')
    .map(readManifest)
    .filter(({ private: isPrivate }) => isPrivate !== true);
}

interface Workflow {
  readonly jobs: {
    readonly packages: {
      readonly strategy: {
        readonly matrix: {
          readonly os: readonly string[];
          readonly node: readonly number[];
          readonly include: readonly { readonly os: string; readonly node: number }[];
        };
      };
    };
  };
}

/** Returns the versions of Node that CI tests, by operating system. */
export function listNodeVersions(): Map<string, number[]> {
  const { matrix } = (parse(readText('.github/workflows/ci.yml')) as Workflow).jobs.packages.strategy;
  const pairs = [...matrix.os.flatMap((os) => matrix.node.map((node) => ({ os, node }))), ...matrix.include];
  const found = new Map<string, number[]>();
  for (const { os, node } of pairs) found.set(os, [...(found.get(os) ?? []), node]);
  return found;
}

const systems: Readonly<Record<string, string>> = { ubuntu: 'Linux', macos: 'macOS', windows: 'Windows' };

/** Returns the runtimes that `npm run runtimes` installs, with their versions. */
export function listRuntimes(): [name: string, version: string][] {
  const text = readText('scripts/runtimes.ts');
  const line = /^const installed = \[(.*?)\];$/ms.exec(text)?.[1] ?? '';
  return Array.from(line.matchAll(/'(\w+)@(\d[\d.]*)'/g), ([, name = '', version = '']) => [name, version]);
}

/** Libraries that applications use together with a package. Those of a tool or a framework's parts are not among them. */
const libraries: Readonly<Record<string, string>> = {
  express: 'Express',
  fastify: 'Fastify',
  hono: 'Hono',
  next: 'Next.js',
  react: 'React',
  vite: 'Vite',
  vitest: 'vitest',
  jest: 'jest',
  msw: 'MSW',
  playwright: 'Playwright',
  pg: 'pg (Postgres)',
  postgres: 'Postgres.js',
  'drizzle-orm': 'Drizzle',
  ioredis: 'ioredis',
  redis: 'node-redis',
};

/** Returns the versions of each library that a test, an example or this repository installs. */
export function listLibraries(): Map<string, Set<string>> {
  const manifests = [
    'package.json',
    ...list('examples/*/package.json'),
    ...list('examples/testing/*/package.json'),
    ...list('test/*/package.json'),
  ];
  const found = new Map<string, Set<string>>();
  for (const { dependencies, devDependencies } of manifests.map(readManifest))
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      const [, alias = name, version = range] = /^npm:(.+)@(.+)$/.exec(range) ?? [];
      if (alias in libraries) found.set(alias, (found.get(alias) ?? new Set()).add(version));
    }
  return found;
}

const runtimeNames: Readonly<Record<string, string>> = {
  deno: 'Deno',
  bun: 'Bun',
  workerd: 'workerd (Cloudflare Workers)',
};

function formatNode(packages: readonly Manifest[]): string {
  const needed = packages.map(({ name, engines }) => [formatCode(name), formatCode(engines?.node ?? '')]);
  const tested = [...listNodeVersions()].map(([os, versions]) => [
    systems[os.split('-')[0] ?? ''] ?? os,
    versions.join(', '),
  ]);
  return `${formatTable(['package', 'Node'], needed)}CI tests the packed packages with these versions:

${formatTable(['system', 'Node'], tested)}`;
}

function formatLibraries(packages: readonly Manifest[]): string {
  const tested = listLibraries();
  const needed = (library: string): string =>
    packages
      .filter(({ peerDependencies = {} }) => library in peerDependencies)
      .map(({ name, peerDependencies }) => `${formatCode(name)}: ${formatCode(peerDependencies?.[library])}`)
      .join(', ');
  const rows = Object.entries(libraries).map(([name, title]) => [
    title,
    [...(tested.get(name) ?? [])].toSorted().join(', '),
    needed(name),
  ]);
  return formatTable(['library', 'tested versions', 'optional dependency of'], rows);
}

/** Generates the page of versions. */
export function generateCompatibility(): Pages {
  const packages = listPackages();
  const versions = compilers.flatMap((each) => /@npm:typescript@(.+)$/.exec(each)?.slice(1) ?? []);
  const runtimes = listRuntimes().map(([name, version]) => [runtimeNames[name] ?? name, version]);
  const page = `# Compatibility

The versions that the packages need, and those with which this repository tests them.

## Node

${formatNode(packages)}## Other runtimes

The client and the webhook verifier run in these runtimes, over real sockets ([how the client differs](/sdk/runtimes)). Their tests
and those of the sandbox also run in Chromium.

${formatTable(['runtime', 'tested version'], runtimes)}## TypeScript

The declarations compile with ${versions.join(', ')}, with \`strict\` and \`exactOptionalPropertyTypes\`.

## Libraries

${formatLibraries(packages)}`;
  return new Map([['compatibility', page]]);
}
