// Generated from docs/project.json by `npm run generate`. Do not edit.
/** The documentation pages that errors and help texts link to. */
export const docs = {
  guide: 'https://docs.example.com/payments-kit/cli',
  chaos: 'https://docs.example.com/payments-kit/cli/chaos',
  configuration: 'https://docs.example.com/payments-kit/cli/configuration',
  dev: 'https://docs.example.com/payments-kit/cli/dev',
  exitCodes: 'https://docs.example.com/payments-kit/cli/exit-codes',
  mock: 'https://docs.example.com/payments-kit/cli/mock-and-sandbox',
  paymentFiles: 'https://docs.example.com/payments-kit/cli/payment-runs',
  payments: 'https://docs.example.com/payments-kit/cli/payments',
  probe: 'https://docs.example.com/payments-kit/cli/probe',
  record: 'https://docs.example.com/payments-kit/cli/record',
  smoke: 'https://docs.example.com/payments-kit/cli/smoke',
  webhooks: 'https://docs.example.com/payments-kit/cli/webhooks',
  sandboxErrors: 'https://docs.example.com/payments-kit/mock/errors',
  seedFile: 'https://docs.example.com/payments-kit/mock/seed-file',
} as const;
