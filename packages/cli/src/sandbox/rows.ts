/** The columns of a table, each with the path to its value: `{ status: 'response.status' }`. */
export type Columns = Readonly<Record<string, string>>;

/** A command, and the operation of the control API that it calls. Its arguments and options come from the operation. */
export interface CommandRow {
  /** The id of the operation. */
  readonly id: string;
  /** The name of the command after its group: `clock advance`. */
  readonly command: string;
  /** The fields that are arguments, in order. All other fields are options. */
  readonly args?: readonly string[];
  /** The names of options that differ from their fields. */
  readonly names?: Readonly<Record<string, string>>;
  /** Whether the command has `--account`, by default that of the API key. `any` also adds `--all-accounts`. */
  readonly account?: 'own' | 'any';
  /** Whether the request body comes from a file. */
  readonly isFile?: true;
  /** Whether the output has unmasked keys and secrets. */
  readonly reveals?: true;
  /** Whether the output is JSON even without `--json`. */
  readonly isRaw?: true;
  readonly columns?: Columns;
  /** The arguments and options in the help example. */
  readonly example?: string;
}

/** The descriptions of the command groups. */
export const groups: Readonly<Record<string, string>> = {
  clock: 'Print, advance or set the clock.',
  account: 'Create, list, suspend and resume accounts.',
  wallet: 'Change wallet balances.',
  payment: 'Change the status of payments.',
  profile: 'Print or change profile settings.',
  endpoint: 'Print, set or remove the webhook endpoint.',
  deliveries: 'List, redeliver and wait for webhook deliveries; collect events.',
  faults: 'Inject faults into requests and webhook deliveries.',
  'rate-limit': 'Limit the request rate of each account and mode.',
  requests: 'List and wait for requests in the request log.',
};

const payment = { args: ['payment'], example: 'pay_test_…' } as const;
const wallet = { args: ['currency', 'amount'], account: 'own', example: 'USD 10.00' } as const;

const state: readonly CommandRow[] = [
  { id: 'getHealth', command: 'health' },
  { id: 'getDocument', command: 'openapi', isRaw: true, example: '> sandbox.openapi.json' },
  { id: 'waitUntilIdle', command: 'idle' },
  { id: 'takeSnapshot', command: 'snapshot', isRaw: true, reveals: true, example: '> snapshot.json' },
  { id: 'restoreSnapshot', command: 'restore', isFile: true, example: 'snapshot.json' },
  { id: 'reset', command: 'reset' },
  { id: 'setBaseline', command: 'baseline' },
  { id: 'getStateHash', command: 'state-hash' },
  { id: 'getClock', command: 'clock show' },
  { id: 'advanceClock', command: 'clock advance', args: ['by'], example: '3s' },
  { id: 'setClock', command: 'clock set', args: ['time'], example: '2026-03-01T00:00:00Z' },
];

const accounts: readonly CommandRow[] = [
  {
    id: 'createAccount',
    command: 'account create',
    names: { balances: 'balance', profile: 'setting' },
    reveals: true,
    example: '--balance USD=1000.00 --setting numbers=string',
  },
  {
    id: 'listAccounts',
    command: 'account list',
    columns: { id: 'id', name: 'name', suspended: 'suspended' },
  },
  { id: 'findAccount', command: 'account find' },
  { id: 'getAccount', command: 'account get', account: 'own' },
  { id: 'regenerateKey', command: 'account regenerate-key', account: 'own', reveals: true },
  { id: 'suspendAccount', command: 'account suspend', account: 'own' },
  { id: 'resumeAccount', command: 'account resume', account: 'own' },
  { id: 'creditWallet', command: 'wallet credit', ...wallet },
  { id: 'setWallet', command: 'wallet set', ...wallet },
];

const payments: readonly CommandRow[] = [
  { id: 'advancePayment', command: 'payment advance', ...payment },
  { id: 'completePayment', command: 'payment complete', ...payment },
  { id: 'failPayment', command: 'payment fail', ...payment },
  { id: 'returnPayment', command: 'payment return', ...payment },
  { id: 'getProfile', command: 'profile show', account: 'any' },
  {
    id: 'setProfile',
    command: 'profile set',
    args: ['settings'],
    account: 'any',
    example: 'createStatus=202 events=completed,failed',
  },
];

const webhooks: readonly CommandRow[] = [
  {
    id: 'setEndpoint',
    command: 'endpoint set',
    args: ['url'],
    account: 'own',
    reveals: true,
    example: 'http://localhost:3000/webhooks',
  },
  { id: 'getEndpoint', command: 'endpoint show', account: 'own' },
  { id: 'removeEndpoint', command: 'endpoint remove', account: 'own' },
  { id: 'rotateSecret', command: 'endpoint rotate-secret', account: 'own', reveals: true },
  {
    id: 'listDeliveries',
    command: 'deliveries list',
    account: 'own',
    columns: {
      id: 'id',
      payment_id: 'payment_id',
      status: 'status',
      state: 'state',
      attempts: 'attempts.length',
      fault: 'fault',
    },
  },
  { id: 'redeliver', command: 'deliveries redeliver', args: ['delivery'], example: 'dlv_test_…' },
  {
    id: 'waitForDelivery',
    command: 'deliveries wait',
    account: 'own',
    example: '--event payment.completed --timeout 10s',
  },
  { id: 'collectEvents', command: 'deliveries collect', account: 'own', reveals: true },
  {
    id: 'listCollected',
    command: 'deliveries collected',
    account: 'own',
    columns: { id: 'id', payment_id: 'payment_id', event: 'event', body: 'body' },
  },
];

const faults: readonly CommandRow[] = [
  {
    id: 'injectFault',
    command: 'faults inject',
    args: ['kind'],
    account: 'any',
    example: 'status --status 503 --operation createPayment',
  },
  {
    id: 'listFaults',
    command: 'faults list',
    columns: {
      id: 'id',
      target: 'target',
      kind: 'kind',
      operation: 'operation',
      event: 'event',
      account: 'account',
      mode: 'mode',
      times: 'times',
      after: 'after',
      probability: 'probability',
      fired: 'fired',
    },
  },
  { id: 'removeFault', command: 'faults remove', args: ['fault'], example: 'flt_000001' },
  { id: 'clearFaults', command: 'faults clear', account: 'any' },
  { id: 'setRateLimit', command: 'rate-limit set', args: ['requests', 'window'], example: '10 1m' },
  { id: 'clearRateLimit', command: 'rate-limit clear' },
];

const requestColumns: Columns = {
  at: 'at',
  id: 'id',
  method: 'method',
  path: 'path',
  operation: 'operation',
  status: 'response.status',
  account: 'account',
  mode: 'mode',
  fault: 'fault.kind',
};

const requests: readonly CommandRow[] = [
  {
    id: 'listRequests',
    command: 'requests list',
    account: 'any',
    columns: requestColumns,
    example: '--operation createPayment',
  },
  {
    id: 'waitForRequests',
    command: 'requests wait',
    account: 'any',
    columns: requestColumns,
    example: '--count 1',
  },
  { id: 'clearRequests', command: 'requests clear', account: 'any' },
];

/** The commands of `sandbox`, one per operation of the control API. */
export const commandRows: readonly CommandRow[] = [
  ...state,
  ...accounts,
  ...payments,
  ...webhooks,
  ...faults,
  ...requests,
];
