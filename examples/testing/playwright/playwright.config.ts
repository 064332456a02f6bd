import { defineConfig } from 'playwright/test';

const executablePath = process.env.CHROMIUM_PATH;

export default defineConfig({
  reporter: 'list',
  workers: 2,
  use: {
    launchOptions: { args: ['--no-sandbox', '--disable-gpu'], ...(executablePath && { executablePath }) },
  },
});
