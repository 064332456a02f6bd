// Compares the code of the README with its files, and runs them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { signedRequestOf } from './support/signed-request.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

describe('the README', () => {
  const blocks = [...readme.matchAll(/<!-- (examples\/\S+) -->\n\n```ts\n(.*?)```/gs)].map(
    ([, path = '', code = '']) => [path, code] as const,
  );

  it('has the code of three files', () => {
    expect(blocks.map(([path]) => path)).toEqual(
      ['sdk', 'webhooks', 'mock'].map((name) => `examples/snippets/src/${name}.ts`),
    );
  });

  it.each(blocks)('has the code of %s', (path, code) => {
    expect(code).toBe(readFileSync(join(root, path), 'utf8'));
  });

  it('has a working example of the client', async () => {
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

  it('has a working example of the receiver', async () => {
    vi.stubEnv('WEBHOOK_SECRET', 'a signing secret');
    const { paid, receive } = await import('../examples/snippets/src/webhooks.ts');
    const send = async (): Promise<number> =>
      (await receive(signedRequestOf('completed', 'a signing secret'))).status;
    expect([await send(), await send()]).toEqual([200, 200]);
    expect(paid).toEqual(['pay_test_0000014Kq8ZxWb2TnVd7Rm3s']);
  });

  it('has a working example of the mock', async () => {
    const { status } = await import('../examples/snippets/src/mock.ts');
    expect(status).toBe('failed');
  });
});
