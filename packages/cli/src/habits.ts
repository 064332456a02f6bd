/** The commands that people of other tools look for, and the place of each. The words of a habit are the first ones of the arguments. */
const habits: Readonly<Record<string, string>> = {
  listen: 'webhooks listen',
  trigger: 'webhooks trigger',
  resend: 'sandbox deliveries redeliver ID',
  'webhooks resend': 'sandbox deliveries redeliver ID',
  'webhooks deliveries': 'sandbox deliveries list',
  logs: 'sandbox requests list --follow',
  'payment list': 'transactions',
  'payment create': 'pay FROM TO AMOUNT --name NAME',
  payments: 'payment get ID, or transactions',
  'pay --file': 'pay-file FILE',
  list: 'transactions',
  get: 'payment get ID',
  status: 'payment get ID',
  wallets: 'balance',
  start: 'mock',
  serve: 'mock',
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
