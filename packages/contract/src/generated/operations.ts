// Generated from openapi.yaml by `npm run generate`. Do not edit.

/** The operations of the service by `operationId`. Paths are relative to the base URL. */
export const operations = {
  "createQuote": {
    "method": "POST",
    "path": "/quotes",
    "successStatus": 200,
    "summary": "Quote an exchange"
  },
  "createPayment": {
    "method": "POST",
    "path": "/payments",
    "successStatus": 201,
    "summary": "Create a supplier payment"
  },
  "getPayment": {
    "method": "GET",
    "path": "/payments/{payment_id}",
    "successStatus": 200,
    "summary": "Retrieve a payment"
  },
  "getBalance": {
    "method": "GET",
    "path": "/balance",
    "successStatus": 200,
    "summary": "Retrieve the balances"
  },
  "listTransactions": {
    "method": "GET",
    "path": "/transactions",
    "successStatus": 200,
    "summary": "List the transactions"
  }
} as const;

/** The `operationId` of an operation of the service. */
export type OperationId = keyof typeof operations;
