// Checks the published types of the packages. Requires a build.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findAny } from './support/any-in-types.ts';

interface Conditions {
  readonly types?: string;
  readonly import?: Conditions;
  readonly require?: Conditions;
}
interface Manifest {
  readonly exports: Readonly<Record<string, string | Conditions>>;
}

const root = join(import.meta.dirname, '..');

/** Returns the declaration files of a package, for `import` and `require`. */
function entriesOf(folder: string): string[] {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const targets = Object.values(exports).filter((target) => typeof target !== 'string');
  const files = targets.flatMap((target) => [target.types, target.import?.types, target.require?.types]);
  return [...new Set(files)].filter((file) => file !== undefined).map((file) => join(folder, file));
}

/** Returns the places of `any` in a file with these lines. */
function findAnyIn(...lines: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'declarations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const entry = join(folder, 'index.d.ts');
  writeFileSync(entry, lines.join('\n'));
  return findAny([entry], folder);
}

describe('published types', () => {
  it.each(['contract', 'sdk', 'webhooks', 'mock', 'probe'])('of @service/%s have no any', (name) => {
    const folder = join(root, 'packages', name);
    const entries = entriesOf(folder);
    expect(entries.length).toBeGreaterThan(0);
    expect(findAny(entries, folder)).toEqual([]);
  });
});

describe('findAny', () => {
  it('finds a written any', () => {
    expect(findAnyIn('type Hidden = { deep: any[] };', 'export {};')).toEqual(['index.d.ts:1 any']);
  });

  it.each([
    ['in a type', 'export type Parsed = ReturnType<typeof JSON.parse>;', 'Parsed'],
    [
      'in a property',
      'export type Box = { deep: { value: ReturnType<typeof JSON.parse> } };',
      'Box.deep.value',
    ],
    ['in a result', 'export declare const o: { m(): ReturnType<typeof JSON.parse> };', 'o.m()'],
    ['in a missing import', "export type { Gone } from './gone.js';", 'Gone'],
  ])('finds an any hidden %s', (_, line, place) => {
    expect(findAnyIn(line)).toContain(`index.d.ts ${place}`);
  });
});
