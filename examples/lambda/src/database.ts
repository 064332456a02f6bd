import { DynamoDB } from '@aws-sdk/client-dynamodb';

// Created once for each instance of a function. DYNAMODB_URL is set in tests only.
const { DYNAMODB_URL: endpoint, EVENTS_TABLE = 'events', PAYOUTS_TABLE = 'payouts' } = process.env;

export const database = new DynamoDB(endpoint === undefined ? {} : { endpoint });
export const tables = { events: EVENTS_TABLE, payouts: PAYOUTS_TABLE };
