import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { createClient, PaymentOutcomeUnknownError, ServiceError } from '@service/sdk';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { database, tables } from './database.js';

interface Invoice {
  readonly invoice: string;
  readonly amount: string;
  readonly supplier: string;
  readonly account: string;
}

const client = createClient(); // reads SERVICE_API_KEY and SERVICE_BASE_URL

/** Pays an invoice at most once, also if it is called twice or the function ends in between. */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const order = JSON.parse(event.body ?? '{}') as Invoice; // validate the fields of your users here
  const { invoice } = order;
  if (!(await claimInvoice(invoice)))
    return respond(200, { invoice, payment_id: await readPaymentId(invoice) });
  try {
    const payment_id = await createPayment(order);
    if (payment_id !== null) await recordPayment(invoice, payment_id);
    return respond(202, { invoice, payment_id });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.outcome === 'unknown') throw error;
    // The service did nothing, so the invoice can be paid later.
    await database.deleteItem({ TableName: tables.payouts, Key: { invoice: { S: invoice } } });
    return respond(error.outcome === 'rejected' ? 422 : 502, { error: error.message });
  }
}

/** Stores an invoice. Returns false if another call has stored it. */
async function claimInvoice(invoice: string): Promise<boolean> {
  try {
    const Item = { invoice: { S: invoice } };
    const ConditionExpression = 'attribute_not_exists(invoice)';
    await database.putItem({ TableName: tables.payouts, Item, ConditionExpression });
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Returns the payment of an invoice. Null means that its outcome is unknown. */
async function readPaymentId(invoice: string): Promise<string | null> {
  const Key = { invoice: { S: invoice } };
  const { Item } = await database.getItem({ TableName: tables.payouts, Key, ConsistentRead: true });
  return Item?.payment_id?.S ?? null;
}

async function recordPayment(invoice: string, payment_id: string): Promise<void> {
  const Item = { invoice: { S: invoice }, payment_id: { S: payment_id } };
  await database.putItem({ TableName: tables.payouts, Item });
}

/** Creates the payment. Returns null if nothing proves that it exists: a person must ask the service. */
async function createPayment({ invoice, amount, supplier, account }: Invoice): Promise<string | null> {
  try {
    const payment = await client.payments.create({
      from_currency: 'USD',
      to_currency: 'EUR',
      amount,
      beneficiary_name: supplier,
      beneficiary_account: account,
      purpose: invoice,
    });
    return payment.id;
  } catch (error) {
    if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    const found = await client.payments.reconcile(error);
    return found.result === 'found' ? found.payment.id : null;
  }
}

function respond(statusCode: number, body: object): APIGatewayProxyStructuredResultV2 {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
