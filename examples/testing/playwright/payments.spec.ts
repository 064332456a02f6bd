import { expect } from 'playwright/test'; // in a project of its own: '@playwright/test'
import { test } from './sandbox.ts';

test.describe.configure({ mode: 'parallel' });

test('shows a payment on its way', async ({ page, shared }) => {
  await page.goto(shared.appUrl);
  await page.getByRole('button', { name: 'Pay' }).click();
  await expect(page.getByRole('status')).toHaveText('pending');
  await shared.mock.sandbox.clock.advance('4s');
  await expect(page.getByRole('status')).toHaveText('completed');
});

test('says when the wallet is empty', async ({ page, shared, account }) => {
  shared.mock.sandbox.wallets.set({ account, currency: 'USD', amount: 0 });
  await page.goto(shared.appUrl);
  await page.getByRole('button', { name: 'Pay' }).click();
  await expect(page.getByRole('status')).toHaveText('The USD balance is too low for this payment.');
});

test('shows a balance that no other test has touched', async ({ page, shared }) => {
  await page.goto(shared.appUrl);
  await expect(page.getByTestId('balance')).toHaveText('100000 USD');
});
