import type { docs } from './generated/docs.ts';
import type { DefineCommand } from './session.ts';

/** A command, or a group of commands. */
export interface CommandRow {
  /** The words of the command, such as `payment get`. A group precedes its commands. */
  readonly name: string;
  /** The options and arguments in the list of commands. */
  readonly usage?: string;
  readonly description: string;
  /** The page of the documentation. A command of a group has that of the group. */
  readonly guide?: keyof typeof docs;
  /** Loads the definition. Undefined for a group whose commands follow in the list. */
  readonly load?: () => Promise<DefineCommand>;
}

/** All commands in the order of the help. `sandbox` adds its own. */
export const commands: readonly CommandRow[] = [
  {
    name: 'mock',
    usage: '[options]',
    description: 'Run a mock of the API until Ctrl+C. It moves no real money, so its keys are printed.',
    guide: 'mock',
    load: async () => (await import('./commands/mock.ts')).defineMock,
  },
  {
    name: 'init',
    usage: '[options]',
    description:
      'Write service.sandbox.yaml, the initial state of `mock`: accounts, balances, payments, faults.',
    guide: 'seedFile',
    load: async () => (await import('./commands/init.ts')).defineInit,
  },
  {
    name: 'dev',
    usage: '[options] -- <command>',
    description: 'Run a command, such as your app or its tests, with a mock and its webhooks.',
    guide: 'dev',
    load: async () => (await import('./commands/dev.ts')).defineDev,
  },
  {
    name: 'chaos',
    usage: '[options] -- <command>',
    description:
      'Test whether an application pays once and handles each webhook once, while requests go wrong.',
    guide: 'chaos',
    load: async () => (await import('./commands/chaos.ts')).defineChaos,
  },
  {
    name: 'quote',
    usage: '[options] <from> <to> <amount>',
    description:
      'Print the rate, the fee and the amount that a beneficiary would receive. Nothing is stored.',
    guide: 'payments',
    load: async () => (await import('./commands/payments.ts')).defineQuote,
  },
  {
    name: 'pay',
    usage: '[options] [from] [to] [amount]',
    description:
      'Create a payment. The request is sent once and never retried. --file pays a file, each line once.',
    guide: 'payments',
    load: async () => (await import('./commands/payments.ts')).definePay,
  },
  {
    name: 'payment',
    description: 'Print a payment, wait for its status, or find one whose outcome is unknown.',
    guide: 'payments',
  },
  {
    name: 'payment get',
    usage: '[options] <id>',
    description: 'Print a payment.',
    load: async () => (await import('./commands/payments.ts')).defineGetPayment,
  },
  {
    name: 'payment wait',
    usage: '[options] <id>',
    description:
      'Print each status of a payment as it changes. Exits 1 if the final status is not the requested one.',
    load: async () => (await import('./commands/payments.ts')).defineWaitForPayment,
  },
  {
    name: 'payment reconcile',
    usage: '[options] [from] [to] [amount]',
    description: 'Find a payment whose outcome is unknown. Only reads; never creates a payment.',
    load: async () => (await import('./commands/reconcile.ts')).defineReconcile,
  },
  {
    name: 'balance',
    usage: '[options]',
    description: 'Print the available balance of every wallet.',
    guide: 'payments',
    load: async () => (await import('./commands/account.ts')).defineBalance,
  },
  {
    name: 'transactions',
    usage: '[options]',
    description: 'List transactions, newest first; with --json one document per line.',
    guide: 'payments',
    load: async () => (await import('./commands/account.ts')).defineTransactions,
  },
  { name: 'webhooks', description: 'Sign, verify, receive and send webhooks.', guide: 'webhooks' },
  {
    name: 'webhooks sign',
    usage: '[options] [file]',
    description: 'Print the signature of a body: HMAC-SHA256 over its raw bytes, in lowercase hexadecimal.',
    load: async () => (await import('./commands/signatures.ts')).defineSign,
  },
  {
    name: 'webhooks verify',
    usage: '[options] [file]',
    description: 'Verify the raw bytes of a body and print its event. Exits 4 if verification fails.',
    load: async () => (await import('./commands/signatures.ts')).defineVerify,
  },
  {
    name: 'webhooks deliveries',
    usage: '[options]',
    description:
      'List the deliveries of a mock with every attempt, oldest first; with --json one document per line.',
    load: async () => (await import('./commands/deliveries.ts')).defineDeliveries,
  },
  {
    name: 'webhooks resend',
    usage: '<id>',
    description: 'Send a delivery of a mock again immediately. Exits 1 if it is not acknowledged.',
    load: async () => (await import('./commands/deliveries.ts')).defineResend,
  },
  {
    name: 'webhooks trigger',
    usage: '[options] <event>',
    description: 'Send a signed test event to your receiver. Exits 1 if the receiver rejects it.',
    load: async () => (await import('./commands/trigger.ts')).defineTrigger,
  },
  {
    name: 'webhooks listen',
    usage: '[options]',
    description: 'Receive webhooks on this machine until Ctrl+C, verify them and print their events.',
    load: async () => (await import('./commands/listen.ts')).defineListen,
  },
  {
    name: 'smoke',
    usage: '[options]',
    description:
      'Test a service from end to end: quote, pay, wait, read back, and requests that it must reject.',
    guide: 'smoke',
    load: async () => (await import('./commands/smoke.ts')).defineSmoke,
  },
  {
    name: 'probe',
    usage: '[options]',
    description: 'Measure the profile of a service: its behavior where its document leaves a choice.',
    guide: 'probe',
    load: async () => (await import('./commands/probe.ts')).defineProbe,
  },
  {
    name: 'record',
    usage: '[options]',
    description: 'Record the traffic of your app with a service until Ctrl+C, and learn its profile.',
    guide: 'record',
    load: async () => (await import('./commands/record.ts')).defineRecord,
  },
  {
    name: 'sandbox',
    description: 'Control a running mock: clock, accounts, payments, deliveries, faults, requests, state.',
    guide: 'mock',
    load: async () => (await import('./commands/sandbox.ts')).defineSandbox,
  },
  {
    name: 'config',
    description: 'Print the settings of the environment and of configuration files.',
    guide: 'configuration',
  },
  {
    name: 'config show',
    description: 'Print the base URL and the keys that commands use, with their sources. Keys are masked.',
    load: async () => (await import('./commands/config.ts')).defineShowConfig,
  },
  {
    name: 'completion',
    usage: '<shell>',
    description: 'Print the script that completes commands and options in bash, zsh or fish.',
    guide: 'configuration',
    load: async () => (await import('./commands/completion.ts')).defineCompletion,
  },
];
