import { expect } from 'playwright/test';
import { test } from '../../examples/testing/playwright/sandbox.ts';

const { describe } = test;

describe('a checkout', () => {
  test('shows another status', async ({ page, shared }) => {
    await page.goto(shared.appUrl);
    await page.getByRole('button', { name: 'Pay' }).click();
    await expect(page.getByRole('status')).toHaveText('pending');
    expect(await page.getByRole('status').textContent()).toBe('completed');
  });
});
