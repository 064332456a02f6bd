import react from '@vitejs/plugin-react';
import { playwright } from '@vitest/browser-playwright';
import { msw } from 'msw/vite';
import { defineConfig } from 'vitest/config';

const executablePath = process.env.CHROMIUM_PATH; // else the browser of `npx playwright install chromium`

export default defineConfig(({ command }) => ({
  // Serves the worker script in development and in tests, and adds it to no build.
  plugins: [react(), command === 'serve' && msw({ mode: 'worker-only' })],
  test: {
    expect: { poll: { timeout: 10_000 } },
    projects: [
      { extends: true, test: { name: 'server', include: ['test/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'page',
          include: ['test/*.test.tsx'],
          browser: {
            enabled: true,
            headless: true,
            instances: [{ browser: 'chromium' }],
            provider: playwright({ launchOptions: { ...(executablePath && { executablePath }) } }),
          },
        },
      },
    ],
  },
}));
