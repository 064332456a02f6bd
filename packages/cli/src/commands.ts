import type { DefineCommand } from './session.ts';

/** A command, or a group of commands. */
export interface CommandRow {
  /** The words of the command, such as `payment get`. A group precedes its commands. */
  readonly name: string;
  readonly description: string;
  /** The heading of the help. Undefined for a command of a group. */
  readonly heading: string | undefined;
  /** Loads the definition. Undefined for a group whose commands follow in the list. */
  readonly load?: () => Promise<DefineCommand>;
}

/** The files of commands. Each exports its definitions by their names: `paymentGetCommand`. */
const files = {
  account: () => import('./commands/account.ts'),
  chaos: () => import('./commands/chaos.ts'),
  check: () => import('./commands/check.ts'),
  completion: () => import('./commands/completion.ts'),
  dev: () => import('./commands/dev.ts'),
  explain: () => import('./commands/explain.ts'),
  listen: () => import('./commands/listen.ts'),
  mock: () => import('./commands/mock.ts'),
  payFile: () => import('./commands/pay-file.ts'),
  payments: () => import('./commands/payments.ts'),
  probe: () => import('./commands/probe.ts'),
  reconcile: () => import('./commands/reconcile.ts'),
  record: () => import('./commands/record.ts'),
  sandbox: () => import('./commands/sandbox.ts'),
  signatures: () => import('./commands/signatures.ts'),
  smoke: () => import('./commands/smoke.ts'),
  trigger: () => import('./commands/trigger.ts'),
};

/** The headings of the help. A newcomer needs the commands of the first one. */
type Heading = 'Start here' | 'Pay' | 'Webhooks' | 'Test' | 'Service' | 'Settings';

/** The commands in the order of the help, with their files and headings. */
const rows: readonly (readonly [
  name: string,
  description: string,
  file?: keyof typeof files | undefined,
  heading?: Heading,
])[] = [
  ['mock', 'Run a mock of the API until Ctrl+C, and print its keys.', 'mock', 'Start here'],
  ['dev', 'Run a command, such as your app or its tests, with a mock.', 'dev', 'Start here'],
  ['sandbox', 'Control a running mock: clock, payments, faults, requests.', 'sandbox', 'Start here'],
  ['pay', 'Create a payment. The request is sent once and never retried.', 'payments', 'Start here'],
  ['explain', 'Print the explanation of an error code.', 'explain', 'Start here'],
  ['pay-file', 'Pay a file of payments, each line once. Continues a run.', 'payFile', 'Pay'],
  ['quote', 'Print the rate, the fee and the amount that a beneficiary receives.', 'payments', 'Pay'],
  ['payment', 'Print a payment, wait for its status, or find a lost one.', undefined, 'Pay'],
  ['payment get', 'Print a payment.', 'payments'],
  ['payment wait', 'Print each status of a payment. Exits 1 if it fails.', 'payments'],
  ['payment reconcile', 'Find a payment whose outcome is unknown. Never creates a payment.', 'reconcile'],
  ['payment check', 'Compare a file of records with the account. Exits 1 if one differs.', 'check'],
  ['balance', 'Print the available balance of every wallet.', 'account', 'Pay'],
  ['transactions', 'List transactions, newest first.', 'account', 'Pay'],
  ['webhooks', 'Receive, send and verify webhooks.', undefined, 'Webhooks'],
  ['webhooks listen', 'Receive, verify and print webhooks until Ctrl+C.', 'listen'],
  ['webhooks trigger', 'Send a signed test event to your receiver. Exits 1 if it is rejected.', 'trigger'],
  ['webhooks verify', 'Verify the raw bytes of a body. Exits 4 if verification fails.', 'signatures'],
  ['chaos', 'Test whether an app pays once and handles each webhook once.', 'chaos', 'Test'],
  ['smoke', 'Test a service: quote, pay, wait, read back, rejections.', 'smoke', 'Service'],
  ['probe', 'Measure how a service behaves where its document leaves a choice.', 'probe', 'Service'],
  ['record', 'Record the traffic of your app with a service, and learn its profile.', 'record', 'Service'],
  ['completion', 'Print the script that completes commands in a shell.', 'completion', 'Settings'],
];

/** All commands. Their files are loaded when they run. */
export const commands: readonly CommandRow[] = rows.map(([name, description, file, heading]) => {
  if (file === undefined) return { name, description, heading };
  const exported = name.replaceAll(/[ -]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const load = async (): Promise<DefineCommand> =>
    ((await files[file]()) as Readonly<Record<string, DefineCommand>>)[`${exported}Command`] as DefineCommand;
  return { name, description, heading, load };
});
