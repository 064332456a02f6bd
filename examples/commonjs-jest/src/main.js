const { createServer } = require('node:http');
const { createClient } = require('@service/sdk');
const { toNode } = require('@service/webhooks/node');
const { payInvoice } = require('./payouts.js');
const { createWebhooks } = require('./webhooks.js');

const { SERVICE_API_KEY = '', PORT = '3000' } = process.env;
const statuses = new Map(); // in an application: a table of the database
const mode = SERVICE_API_KEY.startsWith('service_live_') ? 'live' : 'test';
const secret = () => process.env.SERVICE_WEBHOOK_SECRET;
const listener = toNode(createWebhooks({ secret, mode, statuses }));
const server = createServer((request, response) => void listener(request, response));

async function payFirstInvoice() {
  const client = createClient(); // reads SERVICE_API_KEY and SERVICE_BASE_URL
  const order = { invoice: 'INV-2026-0042', amount: '1000.00', supplier: 'Acme Supplies Ltd' };
  console.log(await payInvoice(client, order));
}

server.listen(Number(PORT), () => void payFirstInvoice());
