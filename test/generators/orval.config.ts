import { defineConfig } from 'orval';

const input = `../../${process.env['DOCUMENT']}`;
const target = `${process.env['OUT']}/client.ts`;

export default defineConfig({
  fetch: {
    input,
    output: { target, client: 'fetch', baseUrl: { runtime: 'process.env.BASE_URL' } },
  },
  zod: { input, output: { target, client: 'zod' } },
});
