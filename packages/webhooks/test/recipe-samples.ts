import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readPage = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../docs/${name}.md`), 'utf8');
const [, testing = ''] = readPage('receiving').split('\n## Testing\n');
const docs = [readPage('frameworks'), readPage('stores'), testing];

/** Returns the samples of the guides in one language, in order. */
export function readSamples(language: 'ts' | 'conf'): readonly string[] {
  return [...docs.join('').matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    ([, code = '']) => code,
  );
}
