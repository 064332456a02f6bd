import { mock } from './preview.ts';

export default { title: 'Checkout' };

export const EmptyWallet = {
  // The loaders of a story override the results of the preview's loaders.
  loaders: [async () => ({ account: mock.sandbox.accounts.create({ balances: { USD: 0 } }) })],
};
