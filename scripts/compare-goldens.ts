// Compares the golden files of the working tree with those of another commit: `node scripts/compare-goldens.ts <commit>`.
// Masks error messages, scenario titles and renamed labels of the tests, and fails if any other byte differs.
import { readFileSync } from 'node:fs';
import { capture } from './run.ts';

const files = ['test/journey.golden.json', 'test/same-answers.golden.txt'];

/** Renamed callers, notes and keys that the tests write into the golden files. */
const renamed: readonly (readonly [from: string, to: string])[] = [
  ['| as nobody', '| as anonymous'],
  [' (unusual)', ' (all headers)'],
  ['"answers":', '"responses":'],
  ['"answered":', '"status":'],
];

function mask(text: string): string {
  return renamed
    .reduce((masked, [from, to]) => masked.replaceAll(from, to), text)
    .replace(/("message":\s*)"(?:[^"\\]|\\.)*"/g, '$1"…"')
    .replace(/^## .*$/gm, '## …');
}

const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error('Name the commit to compare with.');
for (const file of files) {
  const before = capture('git', ['show', `${commit}:${file}`]);
  const now = readFileSync(file, 'utf8');
  const isEqual = mask(before) === mask(now);
  console.log(
    `${file}: ${isEqual ? 'equal' : 'DIFFERENT'} except for messages, titles and labels, ${now.length} characters.`,
  );
  if (!isEqual) process.exitCode = 1;
}
