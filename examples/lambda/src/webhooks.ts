import { createReceiver } from '@service/webhooks';
import { toLambda } from '@service/webhooks/lambda';
import { database, tables } from './database.js';
import { dynamoStore } from './event-store.js';

const { SERVICE_API_KEY = '' } = process.env;

const receive = createReceiver({
  secrets: () => process.env.SERVICE_WEBHOOK_SECRET,
  mode: SERVICE_API_KEY.startsWith('service_live_') ? 'live' : 'test',
  store: dynamoStore(database, tables.events),
  on: {
    'payment.completed': ({ data }) => recordStatus(data.id, data.status),
    'payment.failed': ({ data }) => recordStatus(data.id, data.status),
  },
});

export const handler = toLambda(receive);

/** Records a final status, and counts how often it was recorded. */
async function recordStatus(id: string, status: string): Promise<void> {
  await database.updateItem({
    TableName: tables.payouts,
    Key: { invoice: { S: `status of ${id}` } },
    UpdateExpression: 'SET #status = :status ADD changes :one',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': { S: status }, ':one': { N: '1' } },
  });
}
