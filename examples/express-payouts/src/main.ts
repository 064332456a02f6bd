import { createClient } from '@service/sdk';
import { createApp } from './app.js';
import { openDatabase } from './database.js';

const {
  DATABASE_URL = 'postgres://postgres@127.0.0.1:5432/postgres',
  PORT = '3000',
  SERVICE_API_KEY = '',
} = process.env;

const app = createApp({
  client: createClient(), // reads SERVICE_API_KEY and SERVICE_BASE_URL
  database: await openDatabase(DATABASE_URL),
  webhookSecret: () => process.env.SERVICE_WEBHOOK_SECRET,
  mode: SERVICE_API_KEY.startsWith('service_live_') ? 'live' : 'test',
  sendReceipt: async (paymentId) => console.info('paid', paymentId),
});
app.listen(Number(PORT), () => console.info(`http://localhost:${PORT}`));
