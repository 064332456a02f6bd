// Runs the example like Storybook runs a preview and a story.
import { describe, expect, it, onTestFinished } from 'vitest';
import * as stories from '../../../examples/testing/storybook/checkout.stories.ts';
import preview from '../../../examples/testing/storybook/preview.ts';

async function load(story: { loaders?: typeof preview.loaders }): Promise<{ account: { testKey: string } }> {
  const loaded = await Promise.all([...preview.loaders, ...(story.loaders ?? [])].map((loader) => loader()));
  return Object.assign({ account: { testKey: '' } }, ...loaded);
}

describe('the storybook example', () => {
  it('creates an account for each story', async () => {
    onTestFinished(await preview.beforeAll());
    const balances = async (story: object): Promise<unknown> => {
      const { account } = await load(story);
      const response = await fetch('/api/v1/balance', { headers: { 'x-api-key': account.testKey } });
      return ((await response.json()) as { data: { balances: unknown } }).data.balances;
    };
    expect(await balances({})).toHaveLength(3);
    expect(await balances(stories.EmptyWallet)).toEqual([{ currency: 'USD', balance: 0 }]);
  });
});
