import { createMock, type MockOptions } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { setupWorker } from 'msw/browser';

/** Starts a sandbox in the page, in place of the back end and the service. */
export async function startSandbox(options?: MockOptions) {
  const mock = createMock(options);
  const handlers = createHandlers(mock, { baseUrl: '/backend/payments', account: mock.account });
  const worker = setupWorker(...handlers);
  await worker.start({ quiet: true, onUnhandledFrame: 'bypass' });
  return { mock, stop: () => worker.stop() };
}
