import { createMock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { setupWorker } from 'msw/browser';

export const mock = createMock();
const worker = setupWorker(...createHandlers(mock, { baseUrl: '/api/v1' })); // the base URL of your components

export default {
  beforeAll: async () => {
    await worker.start({ quiet: true, onUnhandledFrame: 'bypass' }); // msw 2: onUnhandledRequest
    return () => worker.stop();
  },
  // One account per story: `render: (args, { loaded: { account } }) => …`.
  loaders: [async () => ({ account: mock.sandbox.accounts.create() })],
};
