import type { DefineCommand } from './session.ts';

/** A command, or a group of commands. */
export interface CommandRow {
  /** The words of the command, such as `payment get`. A group precedes its commands. */
  readonly name: string;
  readonly description: string;
  /** Loads the definition. Undefined for a group whose commands follow in the list. */
  readonly load?: () => Promise<DefineCommand>;
}

/** Imports the file of a command, which exports its definition by its name: `paymentGetCommand`. */
type ImportFile = () => Promise<object>;

const account: ImportFile = () => import('./commands/account.ts');
const deliveries: ImportFile = () => import('./commands/deliveries.ts');
const payments: ImportFile = () => import('./commands/payments.ts');
const signatures: ImportFile = () => import('./commands/signatures.ts');

/** The commands in the order of the help, with their files. `sandbox` adds its own. */
const rows: readonly (readonly [name: string, description: string, file?: ImportFile])[] = [
  ['mock', 'Run a mock of the API until Ctrl+C, and print its keys.', () => import('./commands/mock.ts')],
  ['init', 'Write service.sandbox.yaml, the initial state of `mock`.', () => import('./commands/init.ts')],
  [
    'dev',
    'Run a command, such as your app or its tests, with a mock and its webhooks.',
    () => import('./commands/dev.ts'),
  ],
  [
    'chaos',
    'Test whether an app pays once and handles each webhook once, under faults.',
    () => import('./commands/chaos.ts'),
  ],
  ['quote', 'Print the rate, the fee and the amount that a beneficiary would receive.', payments],
  ['pay', 'Create a payment. The request is sent once and never retried.', payments],
  [
    'pay-file',
    'Pay a file of payments, each line once. The same command continues a run.',
    () => import('./commands/pay-file.ts'),
  ],
  ['payment', 'Print a payment, wait for its status, or find one with an unknown outcome.'],
  ['payment get', 'Print a payment.', payments],
  [
    'payment wait',
    'Print each status of a payment. Exits 1 if the final one is not the requested one.',
    payments,
  ],
  [
    'payment reconcile',
    'Find a payment whose outcome is unknown. Only reads; never creates a payment.',
    () => import('./commands/reconcile.ts'),
  ],
  ['balance', 'Print the available balance of every wallet.', account],
  ['transactions', 'List transactions, newest first; with --json one document per line.', account],
  ['webhooks', 'Sign, verify, receive and send webhooks.'],
  ['webhooks sign', 'Print the signature of raw bytes: HMAC-SHA256 in lowercase hexadecimal.', signatures],
  ['webhooks verify', 'Verify the raw bytes of a body. Exits 4 if verification fails.', signatures],
  ['webhooks deliveries', 'List the deliveries of a mock with every attempt, oldest first.', deliveries],
  ['webhooks resend', 'Send a delivery of a mock again. Exits 1 if it is not acknowledged.', deliveries],
  [
    'webhooks trigger',
    'Send a signed test event to your receiver. Exits 1 if the receiver rejects it.',
    () => import('./commands/trigger.ts'),
  ],
  [
    'webhooks listen',
    'Receive webhooks on this machine until Ctrl+C, verify them and print their events.',
    () => import('./commands/listen.ts'),
  ],
  [
    'smoke',
    'Test a service from end to end: quote, pay, wait, read back, rejections.',
    () => import('./commands/smoke.ts'),
  ],
  [
    'probe',
    'Measure how a service behaves where its document leaves a choice.',
    () => import('./commands/probe.ts'),
  ],
  [
    'record',
    'Record the traffic of your app with a service, and learn its profile.',
    () => import('./commands/record.ts'),
  ],
  [
    'sandbox',
    'Control a running mock: clock, accounts, payments, deliveries, faults, requests.',
    () => import('./commands/sandbox.ts'),
  ],
  ['explain', 'Print the explanation of an error code.', () => import('./commands/explain.ts')],
  ['config', 'Print the settings of the environment and of configuration files.'],
  [
    'config show',
    'Print the base URL and the keys that commands use, with their sources. Keys are masked.',
    () => import('./commands/config.ts'),
  ],
  [
    'completion',
    'Print the script that completes commands and options in a shell.',
    () => import('./commands/completion.ts'),
  ],
];

/** All commands. Their files are loaded when they run. */
export const commands: readonly CommandRow[] = rows.map(([name, description, importFile]) => ({
  name,
  description,
  ...(importFile && { load: async () => findDefinition(await importFile(), name) }),
}));

function findDefinition(file: object, name: string): DefineCommand {
  const exported = name.replaceAll(/[ -]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return (file as Readonly<Record<string, DefineCommand>>)[`${exported}Command`] as DefineCommand;
}
