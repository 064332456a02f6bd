// Checks that each test that SECURITY.md names exists.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const text = readFileSync(join(root, 'SECURITY.md'), 'utf8');
const rows = text.split('\n').filter((line) => /^\| [A-Z]/.test(line));

describe('the threat model', () => {
  it('names a test for each threat', () => {
    expect(rows.length).toBeGreaterThan(15);
    for (const row of rows) expect(row).toMatch(/\]\([\w./-]+\.ts\)/);
  });

  it.each(
    [...text.matchAll(/\]\(([\w./-]+\.ts)\)(?:: "([^"]+)")?/g)].map(([, file, title]) => [file, title]),
  )('names %s, which exists and contains the test %o', (file = '', title = '') => {
    const path = join(root, file);
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, 'utf8')).toContain(title);
  });
});
