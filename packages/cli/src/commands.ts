import type { DefineCommand } from './session.ts';

/** A command, or a group of commands. */
export interface CommandRow {
  /** The words of the command, such as `payment get`. A group precedes its commands. */
  readonly name: string;
  readonly description: string;
  /** Loads the definition. Undefined for a group whose commands follow in the list. */
  readonly load?: () => Promise<DefineCommand>;
}

/** All commands in the order of the help. `sandbox` adds its own. */
export const commands: readonly CommandRow[] = [
  {
    name: 'mock',
    description: 'Run a mock of the API until Ctrl+C, and print its keys.',
    load: async () => (await import('./commands/mock.ts')).defineMock,
  },
  {
    name: 'init',
    description: 'Write service.sandbox.yaml, the initial state of `mock`.',
    load: async () => (await import('./commands/init.ts')).defineInit,
  },
  {
    name: 'dev',
    description: 'Run a command, such as your app or its tests, with a mock and its webhooks.',
    load: async () => (await import('./commands/dev.ts')).defineDev,
  },
  {
    name: 'quote',
    description: 'Print the rate, the fee and the amount that a beneficiary would receive.',
    load: async () => (await import('./commands/payments.ts')).defineQuote,
  },
  {
    name: 'pay',
    description: 'Create a payment. The request is sent once and never retried.',
    load: async () => (await import('./commands/payments.ts')).definePay,
  },
  {
    name: 'pay-file',
    description: 'Pay a file of payments, each line once. The same command continues a run.',
    load: async () => (await import('./commands/pay-file.ts')).definePayFile,
  },
  {
    name: 'payment',
    description: 'Print a payment, wait for its status, or find one with an unknown outcome.',
  },
  {
    name: 'payment get',
    description: 'Print a payment.',
    load: async () => (await import('./commands/payments.ts')).defineGetPayment,
  },
  {
    name: 'payment wait',
    description:
      'Print each status of a payment as it changes. Exits 1 if the final status is not the requested one.',
    load: async () => (await import('./commands/payments.ts')).defineWaitForPayment,
  },
  {
    name: 'payment reconcile',
    description: 'Find a payment whose outcome is unknown. Only reads; never creates a payment.',
    load: async () => (await import('./commands/reconcile.ts')).defineReconcile,
  },
  {
    name: 'balance',
    description: 'Print the available balance of every wallet.',
    load: async () => (await import('./commands/account.ts')).defineBalance,
  },
  {
    name: 'transactions',
    description: 'List transactions, newest first; with --json one document per line.',
    load: async () => (await import('./commands/account.ts')).defineTransactions,
  },
  { name: 'webhooks', description: 'Sign, verify, receive and send webhooks.' },
  {
    name: 'webhooks sign',
    description: 'Print the signature of a body: HMAC-SHA256 over its raw bytes, in lowercase hexadecimal.',
    load: async () => (await import('./commands/signatures.ts')).defineSign,
  },
  {
    name: 'webhooks verify',
    description: 'Verify the raw bytes of a body and print its event. Exits 4 if verification fails.',
    load: async () => (await import('./commands/signatures.ts')).defineVerify,
  },
  {
    name: 'webhooks deliveries',
    description:
      'List the deliveries of a mock with every attempt, oldest first; with --json one document per line.',
    load: async () => (await import('./commands/deliveries.ts')).defineDeliveries,
  },
  {
    name: 'webhooks resend',
    description: 'Send a delivery of a mock again immediately. Exits 1 if it is not acknowledged.',
    load: async () => (await import('./commands/deliveries.ts')).defineResend,
  },
  {
    name: 'webhooks trigger',
    description: 'Send a signed test event to your receiver. Exits 1 if the receiver rejects it.',
    load: async () => (await import('./commands/trigger.ts')).defineTrigger,
  },
  {
    name: 'webhooks listen',
    description: 'Receive webhooks on this machine until Ctrl+C, verify them and print their events.',
    load: async () => (await import('./commands/listen.ts')).defineListen,
  },
  {
    name: 'smoke',
    description: 'Test a service from end to end: quote, pay, wait, read back, rejections.',
    load: async () => (await import('./commands/smoke.ts')).defineSmoke,
  },
  {
    name: 'probe',
    description: 'Measure how a service behaves where its document leaves a choice.',
    load: async () => (await import('./commands/probe.ts')).defineProbe,
  },
  {
    name: 'record',
    description: 'Record the traffic of your app with a service, and learn its profile.',
    load: async () => (await import('./commands/record.ts')).defineRecord,
  },
  {
    name: 'sandbox',
    description: 'Control a running mock: clock, accounts, payments, deliveries, faults, requests.',
    load: async () => (await import('./commands/sandbox.ts')).defineSandbox,
  },
  {
    name: 'explain',
    description: 'Print the explanation of an error code.',
    load: async () => (await import('./commands/explain.ts')).defineExplain,
  },
  { name: 'config', description: 'Print the settings of the environment and of configuration files.' },
  {
    name: 'config show',
    description: 'Print the base URL and the keys that commands use, with their sources. Keys are masked.',
    load: async () => (await import('./commands/config.ts')).defineShowConfig,
  },
  {
    name: 'completion',
    description: 'Print the script that completes commands and options in a shell.',
    load: async () => (await import('./commands/completion.ts')).defineCompletion,
  },
];
