import { defineConfig } from 'playwright/test';
import shared from '../../examples/testing/playwright/playwright.config.ts';

export default defineConfig(shared, { testDir: '.', testMatch: '*.failing-page.ts' });
