import { setupWorker } from 'msw/browser';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { order } from './support.ts';

describe('webhooks in a browser', () => {
  it('bypass msw in a browser and reach the network', async () => {
    const mock = createMock({ clock: 'manual' });
    const worker = setupWorker(...createHandlers(mock));
    await worker.start({ quiet: true, onUnhandledFrame: 'error' });
    onTestFinished(() => worker.stop());
    // The server of this page responds 404 to this path.
    const url = `${location.origin}/hooks`;
    const { status } = await fetch(url, { method: 'POST', headers: { accept: '*/*, msw/passthrough' } });
    mock.sandbox.webhooks.setEndpoint({ url });
    const headers = { 'content-type': 'application/json', 'x-api-key': mock.account.testKey };
    await fetch(`${mock.baseUrl}/payments`, { method: 'POST', headers, body: JSON.stringify(order()) });
    await mock.sandbox.idle();
    const [delivery] = mock.sandbox.webhooks.deliveries();
    expect(delivery?.attempts[0]?.result).toMatchObject({ httpStatus: status });
  });
});
