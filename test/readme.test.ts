// Holds what the README shows to the files that it comes from, and runs them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { signedRequestOf } from './support/signed-request.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const texts = [
  'README.md',
  'CONTRIBUTING.md',
  'decisions/README.md',
  ...['contract', 'sdk', 'webhooks', 'mock', 'cli'].map((name) => `packages/${name}/README.md`),
];

describe('the README', () => {
  const shown = [...readme.matchAll(/<!-- (examples\/\S+) -->\n\n```ts\n(.*?)```/gs)].map(
    ([, path = '', code = '']) => [path, code] as const,
  );

  it('shows three files', () => {
    expect(shown.map(([path]) => path)).toEqual(
      ['sdk', 'webhooks', 'mock'].map((name) => `examples/snippets/src/${name}.ts`),
    );
  });

  it.each(shown)('shows %s as it is', (path, code) => {
    expect(code).toBe(readFileSync(join(root, path), 'utf8'));
  });

  it('pays with the client that it shows', async () => {
    const mock = createMock({ clock: { speed: 100 } });
    const server = await listen(mock, { port: 0 });
    onTestFinished(() => server.close());
    vi.stubEnv('SERVICE_API_KEY', mock.account.testKey);
    vi.stubEnv('SERVICE_BASE_URL', server.baseUrl);
    await import('../examples/snippets/src/sdk.ts');
    const rows = await (
      await mock.fetch(`${mock.baseUrl}/transactions?type=payment`, {
        headers: { 'x-api-key': mock.account.testKey },
      })
    ).json();
    expect(rows).toMatchObject({
      data: { transactions: [{ status: 'completed', amount: -1000, reference: 'INV-2026-0042' }] },
    });
    await mock.close();
  });

  it('receives with the receiver that it shows', async () => {
    vi.stubEnv('WEBHOOK_SECRET', 'a secret of the demo');
    const { paid, receive } = await import('../examples/snippets/src/webhooks.ts');
    const send = async (): Promise<number> =>
      (await receive(signedRequestOf('completed', 'a secret of the demo'))).status;
    expect([await send(), await send()]).toEqual([200, 200]);
    expect(paid).toEqual(['pay_test_0000014Kq8ZxWb2TnVd7Rm3s']);
  });

  it('fails a payment with the sandbox that it shows', async () => {
    const { status } = await import('../examples/snippets/src/mock.ts');
    expect(status).toBe('failed');
  });
});

describe.each(texts)('%s', (text) => {
  const links = [...readFileSync(join(root, text), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(
    ([, link = '']) => link,
  );
  const files = [
    ...readFileSync(join(root, text), 'utf8').matchAll(/^\| `((?:src|bin|test|\.\.)\/[\w./-]*)`/gm),
  ].map(([, file = '']) => file);

  it('names only files that exist', () => {
    const missing = [...links, ...files].filter((link) => !existsSync(join(root, dirname(text), link)));
    expect(missing).toEqual([]);
  });
});
