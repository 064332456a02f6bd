// The versions of runtimes and libraries that the packages need, and those that the tests run.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Returns the runtimes in which `npm run runtimes` runs its cases, with their versions; that of Chromium is the installed one. */
export function listRuntimes(): [name: string, version: string][] {
  const text = readText('scripts/runtimes.ts');
  const nodes = Array.from(text.matchAll(/node\('node\d+', '([\d.]+)'\)/g), ([, version = '']) => version);
  const others = text.matchAll(/version: '([\d.-]+)',\s*install: '(\w+)@/g);
  return [
    ...nodes.map((version): [string, string] => ['Node', version]),
    ...Array.from(others, ([, version = '', name = '']): [string, string] => [name, version]),
  ];
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
  return formatTable(['package', 'Node'], needed);
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

${formatNode(packages)}## Runtimes

One list of cases of the client, the webhooks and the sandbox runs in these runtimes, in Node 24 and in Chromium, over real sockets
([how the client differs](/sdk/runtimes)); in Node 24 also on macOS and Windows.

${formatTable(['runtime', 'tested version'], runtimes)}## TypeScript

The declarations compile with ${versions.join(', ')}, with \`strict\` and \`exactOptionalPropertyTypes\`.

## Libraries

${formatLibraries(packages)}`;
  return new Map([['compatibility', page]]);
}
