import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const docs = ['frameworks', 'stores', 'testing'].map((name) =>
  readFileSync(join(import.meta.dirname, `../docs/${name}.md`), 'utf8'),
);

/** Returns the samples of the guides in one language, in order. */
export function readSamples(language: 'ts' | 'conf'): readonly string[] {
  return [...docs.join('').matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    ([, code = '']) => code,
  );
}
