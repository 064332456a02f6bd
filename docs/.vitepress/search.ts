// The search of the site. Its index has the text of the guides, and only the headings of generated pages.
import type { DefaultTheme } from 'vitepress';
import project from '../project.json' with { type: 'json' };
import { findAddress, toRelative } from './pages.ts';

const base = `${new URL(project.docsUrl).pathname}/`;

/** Words that readers search for and that a page does not use, by its address. */
const keywords: Readonly<Record<string, string>> = {
  'sdk/retries': 'timeout retry slow deadline rate limit 429 too many requests',
  'guides/payment-missing': 'payment missing not found lost payment disappeared',
  'guides/webhook-missing': 'not received missing did not arrive',
  'mock/life-of-a-payment': 'refund cancel status return chargeback magic values',
  'start/modes': 'test key live key sandbox key',
  'sdk/pay-once': 'pay twice double payment duplicate payment exactly once',
  'sdk/unknown-outcomes': 'lost response timeout of a create connection reset unknown outcome',
  'sdk/payment-runs': 'pay many invoices batch bulk salaries',
  'sdk/hooks-and-warnings': 'monitoring tracing opentelemetry logging metrics',
  'sdk/runtimes': 'deno bun workers node version typescript version',
  'webhooks/receiving': 'duplicate webhook event arrives twice raw body webhook',
  'webhooks/errors': 'signature mismatch invalid signature',
  'webhooks/frameworks': 'express fastify hono next lambda',
  'webhooks/rotating-secrets': 'rotate secret replace leaked key',
  'mock/faults': 'simulate failure outage lost connection 500 503',
  'mock/frameworks': 'next vite dev server',
  'mock/testing': 'jest vitest unit test offline playwright storybook',
  'mock/docker-and-ci': 'run in ci docker github actions gitlab container',
  'mock/dashboard': 'dashboard browser',
  'mock/webhooks': 'clock fast forward time travel wait',
  'guides/other-languages': 'python go php java ruby',
  'guides/front-end': 'react browser cors',
  'guides/go-live': 'production checklist real money live key',
  'start/setup': 'install npm',
  'cli/errors': 'exit code',
  'cli/probe': 'smoke test record',
  'reference/environment': 'environment variables',
};

interface Section {
  readonly anchor: string;
  readonly titles: string[];
  readonly text: string;
}

/** Splits the HTML of a page at its headings of the first two levels, without its code. */
function* splitPage(file: string, html: string): Generator<Section> {
  const address = findAddress(toRelative(file)) ?? '';
  const isGenerated = address.startsWith('reference/');
  const depth = isGenerated ? 3 : 2;
  const parts = html
    .replaceAll(/<(pre|button)\b[^]*?<\/\1>/g, ' ')
    .split(/<h([1-6]) id="([^"]*)"[^>]*>(.*?)<\/h\1>/g);
  let titles: string[] = [];
  let section: Section | undefined;
  for (let index = 1; index < parts.length; index += 4) {
    const [level, anchor = '', heading = '', body = ''] = [
      Number(parts[index]),
      ...parts.slice(index + 1, index + 4),
    ];
    const text = isGenerated ? '' : toText(body);
    const title = toText(heading.replaceAll(/<a class="header-anchor".*?<\/a>/g, ''));
    if (level > depth && section !== undefined) {
      section = { ...section, text: isGenerated ? '' : `${section.text} ${title} ${text}` };
      continue;
    }
    if (section !== undefined) yield section;
    titles = [...titles.slice(0, level - 1), title];
    section = { anchor: level === 1 ? '' : anchor, titles, text };
  }
  if (section !== undefined) yield section;
}

function toText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&\w+;/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The fields of the index. The keywords of a page are a field of its first section. */
export const indexOptions = {
  fields: ['title', 'titles', 'text', 'keywords'],
  extractField: (entry: Readonly<Record<string, string>>, field: string): string =>
    field === 'keywords' ? (keywords[entry.id?.slice(base.length) ?? ''] ?? '') : (entry[field] ?? ''),
};

export const search: NonNullable<DefaultTheme.Config['search']> = {
  provider: 'local',
  options: {
    miniSearch: {
      options: indexOptions,
      searchOptions: {
        // Generated pages come after the guides. VitePress sends this function to the browser as text.
        boostDocument: (id: string) => (id.includes('/reference/') ? 0.4 : id.includes('#') ? 1 : 1.5),
        boost: { keywords: 8, title: 4, titles: 2 },
      },
      _splitIntoSections: splitPage,
    },
  },
};
