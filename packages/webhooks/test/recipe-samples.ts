import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const recipes = readFileSync(join(import.meta.dirname, '../RECIPES.md'), 'utf8');

/** The samples of RECIPES.md in one language, in order. */
export function readSamples(language: 'ts' | 'conf'): readonly string[] {
  return [...recipes.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    ([, code = '']) => code,
  );
}
