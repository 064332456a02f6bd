import { createMock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { setupWorker } from 'msw/browser';

export const mock = createMock();
const worker = setupWorker(...createHandlers(mock, { baseUrl: '/api/v1' })); // what your components call

export default {
  beforeAll: async () => {
    await worker.start({ quiet: true, onUnhandledFrame: 'bypass' }); // msw 2: onUnhandledRequest
    return () => worker.stop();
  },
  // Each story gets an account of its own: `render: (args, { loaded: { account } }) => …`.
  loaders: [async () => ({ account: mock.sandbox.accounts.create() })],
};
