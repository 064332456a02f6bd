import { expect } from 'playwright/test'; // in your project: '@playwright/test'
import { test } from './sandbox.ts';

test.describe.configure({ mode: 'parallel' });

test('shows the status of a payment', async ({ page, shared }) => {
  await page.goto(shared.appUrl);
  await page.getByRole('button', { name: 'Pay' }).click();
  await expect(page.getByRole('status')).toHaveText('pending');
  await shared.mock.sandbox.clock.advance('4s');
  await expect(page.getByRole('status')).toHaveText('completed');
});

test('shows an error if the balance is too low', async ({ page, shared, account }) => {
  shared.mock.sandbox.wallets.set({ account, currency: 'USD', amount: 0 });
  await page.goto(shared.appUrl);
  await page.getByRole('button', { name: 'Pay' }).click();
  await expect(page.getByRole('status')).toHaveText('The USD balance is too low for this payment.');
});

test('shows the default balance of a new account', async ({ page, shared }) => {
  await page.goto(shared.appUrl);
  await expect(page.getByTestId('balance')).toHaveText('100000 USD');
});
