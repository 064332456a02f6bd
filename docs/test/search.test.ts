// The search of the built site, as its page runs it.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { describe, expect, it } from 'vitest';
import { indexOptions, search } from '../.vitepress/search.ts';
import { base, dist } from './site.ts';

const [file = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: dist });
const { default: json } = (await import(join(dist, file))) as { readonly default: string };
const { miniSearch } = search.provider === 'local' ? (search.options ?? {}) : {};
// The options of the search box of VitePress, with those of the site.
const index = MiniSearch.loadJSON<{ readonly id: string }>(json, {
  ...indexOptions,
  storeFields: ['title', 'titles'],
  searchOptions: { fuzzy: 0.2, prefix: true, ...miniSearch?.searchOptions },
});

/** Returns the pages of the results without their sections, the best ones first. */
function find(words: string): string[] {
  const pages = index.search(words).map(
    ({ id }) =>
      String(id)
        .slice(base.length + 1)
        .split('#', 1)[0] ?? '',
  );
  return [...new Set(pages)];
}

describe('the search', () => {
  it.each([
    ['rotate secret', 'webhooks/rotating-secrets'],
    ['unknown outcome', 'sdk/unknown-outcomes'],
    ['timeout', 'sdk/retries'],
    ['run in CI', 'mock/docker-and-ci'],
    ['test offline', 'mock/testing'],
    ['pay twice', 'sdk/pay-once'],
    ['Next', 'mock/frameworks'],
    ['jest', 'mock/testing'],
    ['express', 'webhooks/frameworks'],
    ['duplicate webhook', 'webhooks/receiving'],
    ['idempotency key', 'sdk/idempotency-keys'],
    ['signature mismatch', 'webhooks/errors'],
    ['python', 'guides/other-languages'],
    ['exit code', 'cli/errors'],
    ['fast forward time', 'mock/webhooks'],
    ['simulate failure', 'mock/faults'],
    ['pay many invoices', 'sdk/payment-runs'],
    ['retry', 'sdk/retries'],
    ['install', 'start/setup'],
    ['opentelemetry', 'sdk/hooks-and-warnings'],
    ['docker', 'mock/docker-and-ci'],
    ['dashboard', 'mock/dashboard'],
    ['rate limit', 'sdk/retries'],
    ['refund', 'mock/life-of-a-payment'],
    ['cancel', 'mock/life-of-a-payment'],
    ['webhook not received', 'guides/webhook-missing'],
    ['payment missing', 'guides/payment-missing'],
    ['duplicate payment', 'sdk/pay-once'],
    ['test key', 'start/modes'],
    ['idempotency', 'sdk/idempotency-keys'],
  ])('finds the guide first for "%s"', (words, page) => {
    expect(find(words)[0]).toBe(page);
  });

  it.each([
    ['createClient', 'reference/sdk'],
    ['createMock', 'reference/mock'],
    ['Create a supplier payment', 'reference/http-api'],
    ['payment reconcile', 'reference/cli/commands'],
    ['environment variables', 'reference/environment'],
  ])('finds the reference of %s', (words, page) => {
    expect(find(words)).toContain(page);
  });

  it('has an index below 400 kB', () => {
    expect(statSync(join(dist, file)).size).toBeLessThan(400_000);
    expect(readFileSync(join(dist, file), 'utf8')).not.toContain('decisions/');
  });
});
