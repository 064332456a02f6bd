// The licenses of other code in a package go with it.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const packages = join(import.meta.dirname, '../packages');
const read = (path: string): string => readFileSync(join(packages, path), 'utf8');

/** Returns the npm packages that the source of a package imports and that its users do not install. */
function listBundled(name: string): string[] {
  const manifest = JSON.parse(read(`${name}/package.json`)) as Record<string, Record<string, string>>;
  const installed = { ...manifest['dependencies'], ...manifest['peerDependencies'] };
  const imported = globSync(`${name}/src/**/*.{ts,tsx}`, { cwd: packages }).flatMap((file) =>
    Array.from(
      read(file).matchAll(/^(?:import|export) (?!type )[^;]*?from '((?:@[^/']+\/)?[a-z][^/':]*)(?=['/])/gm),
      ([, each = '']) => each,
    ),
  );
  return [...new Set(imported)].filter((each) => !(each in installed) && !each.startsWith('@service/'));
}

describe('the notices of a package', () => {
  it.each([
    ['cli', ['cli']],
    ['mock', ['mock', 'dashboard']],
    ['probe', ['probe']],
    ['sdk', ['sdk', 'internal']],
    ['webhooks', ['webhooks', 'internal']],
  ])('of %s have the license of all other code in it', (name, sources) => {
    const bundled = sources.flatMap(listBundled);
    const file = `${name}/dist/NOTICES.md`;
    const text = existsSync(join(packages, file)) ? read(file) : '';
    expect(bundled.filter((each) => !text.includes(`\n## ${each} `))).toEqual([]);
    const sections = text.split(/^(?=## )/m).slice(1);
    expect(sections.filter((each) => !/copyright/i.test(each))).toEqual([]);
  });

  it('are found for what the command line and the pages of the mock contain', () => {
    expect(listBundled('cli')).toEqual(expect.arrayContaining(['commander', 'csv-parse']));
    expect(listBundled('dashboard')).toContain('preact');
  });
});
