/** The commands that people of other tools look for, and the place of each. The words of a habit are the first ones of the arguments. */
const habits: Readonly<Record<string, string>> = {
  listen: 'webhooks listen',
  forward: 'webhooks listen --forward URL',
  trigger: 'webhooks trigger',
  events: 'webhooks listen',
  resend: 'sandbox deliveries redeliver ID',
  'webhooks resend': 'sandbox deliveries redeliver ID',
  'webhooks list': 'sandbox deliveries list',
  'webhooks deliveries': 'sandbox deliveries list',
  logs: 'sandbox requests list --follow',
  tail: 'sandbox requests list --follow',
  requests: 'sandbox requests list',
  'payment list': 'transactions',
  'payment create': 'pay FROM TO AMOUNT --name NAME',
  'payment show': 'payment get ID',
  payments: 'payment get ID, or transactions',
  'pay --file': 'pay-file FILE',
  list: 'transactions',
  ls: 'transactions',
  get: 'payment get ID',
  status: 'payment get ID',
  wait: 'payment wait ID',
  reconcile: 'payment reconcile',
  wallets: 'balance',
  start: 'mock',
  serve: 'mock',
  up: 'mock',
  run: 'dev -- COMMAND',
  clock: 'sandbox clock',
  faults: 'sandbox faults',
  reset: 'sandbox reset',
  test: 'smoke',
  completion: 'completion bash, zsh or fish',
  version: '--version',
};

/** Returns the command to use in place of arguments that name none. Undefined without one. */
export function findHabit(argv: readonly string[]): string | undefined {
  const words = argv.slice(argv.findIndex((word) => !word.startsWith('-')));
  return [words.slice(0, 2).join(' '), words[0] ?? '']
    .map((name) => (Object.hasOwn(habits, name) ? habits[name] : undefined))
    .find(Boolean);
}
