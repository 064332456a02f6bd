import type { DefineCommand } from './session.ts';

/** A command, or a group of commands. */
export interface CommandRow {
  /** The words of the command, such as `payment get`. A group precedes its commands. */
  readonly name: string;
  readonly description: string;
  /** Loads the definition. Undefined for a group whose commands follow in the list. */
  readonly load?: () => Promise<DefineCommand>;
}

/** The files of commands. Each exports its definitions by their names: `paymentGetCommand`. */
const files = {
  account: () => import('./commands/account.ts'),
  chaos: () => import('./commands/chaos.ts'),
  check: () => import('./commands/check.ts'),
  completion: () => import('./commands/completion.ts'),
  config: () => import('./commands/config.ts'),
  deliveries: () => import('./commands/deliveries.ts'),
  dev: () => import('./commands/dev.ts'),
  explain: () => import('./commands/explain.ts'),
  init: () => import('./commands/init.ts'),
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

/** The commands in the order of the help, with their files. `sandbox` adds its own. */
const rows: readonly (readonly [name: string, description: string, file?: keyof typeof files])[] = [
  ['mock', 'Run a mock of the API until Ctrl+C, and print its keys.', 'mock'],
  ['init', 'Write service.sandbox.yaml, the initial state of `mock`.', 'init'],
  ['dev', 'Run a command, such as your app or its tests, with a mock and its webhooks.', 'dev'],
  ['chaos', 'Test whether an app pays once and handles each webhook once, under faults.', 'chaos'],
  ['quote', 'Print the rate, the fee and the amount that a beneficiary would receive.', 'payments'],
  ['pay', 'Create a payment. The request is sent once and never retried.', 'payments'],
  ['pay-file', 'Pay a file of payments, each line once. The same command continues a run.', 'payFile'],
  ['payment', 'Print a payment, wait for its status, or find one with an unknown outcome.'],
  ['payment get', 'Print a payment.', 'payments'],
  ['payment wait', 'Print each status of a payment. Exits 1 if the final one is another.', 'payments'],
  ['payment reconcile', 'Find a payment whose outcome is unknown. Never creates a payment.', 'reconcile'],
  ['payment check', 'Compare a file of records with the account. Exits 1 if one differs.', 'check'],
  ['balance', 'Print the available balance of every wallet.', 'account'],
  ['transactions', 'List transactions, newest first; with --json one document per line.', 'account'],
  ['webhooks', 'Sign, verify, receive and send webhooks.'],
  ['webhooks sign', 'Print the signature of raw bytes: HMAC-SHA256 in lowercase hexadecimal.', 'signatures'],
  ['webhooks verify', 'Verify the raw bytes of a body. Exits 4 if verification fails.', 'signatures'],
  ['webhooks deliveries', 'List the deliveries of a mock with every attempt, oldest first.', 'deliveries'],
  ['webhooks resend', 'Send a delivery of a mock again. Exits 1 if it is not acknowledged.', 'deliveries'],
  ['webhooks trigger', 'Send a signed test event to your receiver. Exits 1 if it is rejected.', 'trigger'],
  ['webhooks listen', 'Receive, verify and print webhooks on this machine until Ctrl+C.', 'listen'],
  ['smoke', 'Test a service from end to end: quote, pay, wait, read back, rejections.', 'smoke'],
  ['probe', 'Measure how a service behaves where its document leaves a choice.', 'probe'],
  ['record', 'Record the traffic of your app with a service, and learn its profile.', 'record'],
  ['sandbox', 'Control a running mock: clock, accounts, payments, faults, requests.', 'sandbox'],
  ['explain', 'Print the explanation of an error code.', 'explain'],
  ['config', 'Print the settings of the environment and of configuration files.'],
  ['config show', 'Print the base URL and the masked keys that commands use, with their sources.', 'config'],
  ['completion', 'Print the script that completes commands and options in a shell.', 'completion'],
];

/** All commands. Their files are loaded when they run. */
export const commands: readonly CommandRow[] = rows.map(([name, description, file]) => {
  if (file === undefined) return { name, description };
  const exported = name.replaceAll(/[ -]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const load = async (): Promise<DefineCommand> =>
    ((await files[file]()) as Readonly<Record<string, DefineCommand>>)[`${exported}Command`] as DefineCommand;
  return { name, description, load };
});
