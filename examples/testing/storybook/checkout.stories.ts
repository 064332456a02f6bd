import { mock } from './preview.ts';

export default { title: 'Checkout' };

export const EmptyWallet = {
  // Loaders of a story run with those of the preview; what they return comes last.
  loaders: [async () => ({ account: mock.sandbox.accounts.create({ balances: { USD: 0 } }) })],
};
