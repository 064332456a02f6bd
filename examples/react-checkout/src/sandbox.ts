import { createMock, type MockOptions, persist, type StateStore } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { setupWorker } from 'msw/browser';

/** Starts a sandbox in the page, in place of the back end and the service. A store keeps its state. */
export async function startSandbox(options?: MockOptions, store?: StateStore) {
  const mock = createMock(options);
  if (store !== undefined) await persist(mock, store);
  const handlers = createHandlers(mock, { baseUrl: '/backend/payments', apiKey: mock.account.testKey });
  const worker = setupWorker(...handlers);
  await worker.start({ quiet: true, onUnhandledFrame: 'bypass' });
  return { mock, stop: () => worker.stop() };
}
