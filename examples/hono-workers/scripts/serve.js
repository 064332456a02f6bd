// Runs the bundled worker at the port in PORT, for `npm run chaos`. The file receipts.txt has the payments with a receipt.
import { appendFileSync } from 'node:fs';
import { Miniflare } from 'miniflare';

const variables = ['SERVICE_API_KEY', 'SERVICE_BASE_URL', 'SERVICE_WEBHOOK_SECRET'];
const worker = new Miniflare({
  modules: true,
  scriptPath: 'dist/index.js',
  compatibilityDate: '2026-01-01',
  host: 'localhost',
  port: Number(process.env.PORT),
  durableObjects: {
    PAYOUTS: { className: 'Payout', useSQLite: true },
    HANDLED_EVENTS: { className: 'HandledEvent', useSQLite: true },
  },
  durableObjectsPersist: '.data',
  bindings: Object.fromEntries(variables.map((name) => [name, process.env[name]])),
  serviceBindings: {
    RECEIPTS: ({ url }) => {
      appendFileSync('receipts.txt', `${new URL(url).pathname.slice(1)}\n`);
      return new Response();
    },
  },
});
await worker.ready;
