// Packs the public packages, and installs old versions of Node.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from './run.ts';

export const root: string = join(import.meta.dirname, '..');
export const packages: readonly string[] = ['contract', 'sdk', 'webhooks', 'mock', 'probe', 'cli'];

interface Entry {
  readonly '@service/source'?: string;
  readonly require?: unknown;
}

/** The fields of `package.json` that the checks read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Entry>>;
}

/** A public package and its tarball. */
export interface Packed {
  readonly manifest: Manifest;
  readonly tarball: string;
  /** The digest of the tarball, as a registry states it. */
  readonly integrity: string;
}

/** Reads the package.json of a package of the folder `packages`. */
function readManifest(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}

/** Returns the source of each entry of a package by the name of its output, such as `index` and `payer/sqlite`. */
export function listEntries(name: string): Record<string, string> {
  const entries = Object.entries(readManifest(name).exports).flatMap(([subpath, target]) => {
    const source = typeof target === 'string' ? target : target['@service/source'];
    return source?.endsWith('.ts') ? [[subpath.slice(2) || 'index', source]] : [];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Packs a package of the folder `packages` into a folder. */
export function pack(name: string, folder: string): Packed {
  const cwd = join(root, 'packages', name);
  const output = capture('npm', ['pack', '--json', '--pack-destination', folder], cwd);
  const [{ filename, integrity }] = JSON.parse(output) as [{ filename: string; integrity: string }];
  return { manifest: readManifest(name), tarball: join(folder, filename), integrity };
}

/** Creates a folder with a `package.json`, and installs tarballs and packages of npm there. */
export function install(
  folder: string,
  names: readonly string[],
  manifest: object = { private: true },
): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  capture('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...names], folder);
}

/** Installs a version of Node from npm into a folder, and returns the folder of its program. */
export function installNode(version: string, folder: string): string {
  const name = `node-${process.platform.replace('32', '')}-${process.arch}`;
  install(folder, [`${name}@${version}`]);
  return join(folder, 'node_modules', name, 'bin');
}
