import { expect, onTestFinished, test } from 'vitest';
import { render } from 'vitest-browser-react';
import { Checkout } from '../src/Checkout.tsx';
import { startSandbox } from '../src/sandbox.ts';

async function openPage() {
  const { mock, stop } = await startSandbox({ clock: 'manual' });
  onTestFinished(stop);
  return { mock, page: await render(<Checkout pollInterval={10} />) };
}

test('shows a quote', async () => {
  const { page } = await openPage();
  await expect.element(page.getByTestId('quote')).toHaveTextContent('1000 USD = 916.69 EUR');
});

test('shows the status of a payment until it is final', async () => {
  const { mock, page } = await openPage();
  await page.getByRole('button', { name: 'Pay' }).click();
  await expect.element(page.getByRole('status')).toHaveTextContent('pending');
  await mock.sandbox.clock.advance('4s');
  await expect.element(page.getByRole('status')).toHaveTextContent('completed');
});

test('shows an error of the service', async () => {
  const { mock, page } = await openPage();
  mock.sandbox.wallets.set({ currency: 'USD', amount: 0 });
  await page.getByRole('button', { name: 'Pay' }).click();
  await expect
    .element(page.getByRole('status'))
    .toHaveTextContent('The USD balance is too low for this payment.');
});
