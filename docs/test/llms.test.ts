// The texts for coding agents.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import project from '../project.json' with { type: 'json' };
import { dist, listPages } from './site.ts';

const index = readFileSync(join(dist, 'llms.txt'), 'utf8');
const links = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
const full = readFileSync(join(dist, 'llms-full.txt'), 'utf8');

describe('llms.txt', () => {
  it('has a title, a summary and links in sections', () => {
    expect(index).toMatch(/^# .+\n\n> .+\n\n/);
    expect(index.match(/^## .+$/gm)).toEqual(
      ['Start', 'Pay', 'Webhooks', 'Test', 'Operate', 'Reference', 'Skills', 'Optional'].map(
        (title) => `## ${title}`,
      ),
    );
  });

  it.each([...new Set(links)])('links to existing text: %s', (link) => {
    expect(link.startsWith(`${project.docsUrl}/`)).toBe(true);
    const file = join(dist, link.slice(project.docsUrl.length));
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8')).toMatch(/^(?:# |---\nname: )/);
  });

  it('has each page', () => {
    const addresses = listPages()
      .filter((page) => page !== 'index.html')
      .map((page) => `${project.docsUrl}/${page.replace(/html$/, 'md')}`);
    expect(addresses.filter((address) => !links.includes(address))).toEqual([]);
  });
});

describe('llms-full.txt', () => {
  it('has the text of the guides and of the reference, and no decision', () => {
    const titles = full.match(/^# .+$/gm);
    expect(titles).toEqual(
      expect.arrayContaining(['# Unknown outcomes', '# Receiving events', '# The life of a payment']),
    );
    expect(full).not.toContain('## Revisit when');
    expect(full).not.toMatch(/\]\((?!https?:|#)/);
  });
});
