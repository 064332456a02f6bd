/** Names the columns of a list, each by the path to what it shows: `{ status: 'response.status' }`. */
export type Columns = Readonly<Record<string, string>>;

/** Maps a command to one operation of the control; what it takes comes from the operation itself. */
export type CommandRow = {
  /** Names the operation. */
  readonly id: string;
  /** Names the command, its group first: `clock advance`. */
  readonly words: string;
  /** Lists the fields that are arguments, in their order. Default: all are options. */
  readonly args?: readonly string[];
  /** Renames options, by their fields. */
  readonly names?: Readonly<Record<string, string>>;
  /** Says whose account is meant where none is named: that of the key; `any` can be asked for all accounts too. */
  readonly account?: 'own' | 'any';
  /** Takes the whole body from a file. */
  readonly isFile?: true;
  /** Shows keys and secrets, which the operation is there to give. */
  readonly reveals?: true;
  /** Shows the answer as JSON also to a person. */
  readonly isRaw?: true;
  readonly columns?: Columns;
  /** Shows what may follow the words in the help. */
  readonly example?: string;
};

/** Describes the groups of commands. */
export const groups: Readonly<Record<string, string>> = {
  clock: 'Show the time of the sandbox, or move it.',
  account: 'Open accounts, and look at, suspend or resume them.',
  wallet: 'Put money into wallets.',
  payment: 'Move payments by hand.',
  profile: 'Show or set what the document of the service leaves open.',
  endpoint: 'Say where events go.',
  deliveries: 'Look at deliveries, repeat them, wait for them.',
  faults: 'Inject faults into requests and webhook deliveries.',
  'rate-limit': 'Limit how often each account and mode may call.',
  requests: 'List the requests that reached the service.',
};

const payment = { args: ['payment'], example: 'pay_test_…' } as const;
const wallet = { args: ['currency', 'amount'], account: 'own', example: 'USD 10.00' } as const;

const state: readonly CommandRow[] = [
  { id: 'getHealth', words: 'health' },
  { id: 'getDocument', words: 'openapi', isRaw: true, example: '> sandbox.openapi.json' },
  { id: 'waitUntilIdle', words: 'idle' },
  { id: 'takeSnapshot', words: 'snapshot', isRaw: true, reveals: true, example: '> world.json' },
  { id: 'restoreSnapshot', words: 'restore', isFile: true, example: 'world.json' },
  { id: 'reset', words: 'reset' },
  { id: 'setBaseline', words: 'baseline' },
  { id: 'getStateHash', words: 'state-hash' },
  { id: 'getClock', words: 'clock show' },
  { id: 'advanceClock', words: 'clock advance', args: ['by'], example: '3s' },
  { id: 'setClock', words: 'clock set', args: ['time'], example: '2026-03-01T00:00:00Z' },
];

const accounts: readonly CommandRow[] = [
  {
    id: 'createAccount',
    words: 'account create',
    names: { balances: 'balance', profile: 'setting' },
    reveals: true,
    example: '--balance USD=1000.00 --setting numbers=string',
  },
  {
    id: 'listAccounts',
    words: 'account list',
    columns: { id: 'id', name: 'name', suspended: 'suspended' },
  },
  { id: 'findAccount', words: 'account find' },
  { id: 'getAccount', words: 'account get', account: 'own' },
  { id: 'regenerateKey', words: 'account regenerate-key', account: 'own', reveals: true },
  { id: 'suspendAccount', words: 'account suspend', account: 'own' },
  { id: 'resumeAccount', words: 'account resume', account: 'own' },
  { id: 'creditWallet', words: 'wallet credit', ...wallet },
  { id: 'setWallet', words: 'wallet set', ...wallet },
];

const payments: readonly CommandRow[] = [
  { id: 'advancePayment', words: 'payment advance', ...payment },
  { id: 'completePayment', words: 'payment complete', ...payment },
  { id: 'failPayment', words: 'payment fail', ...payment },
  { id: 'returnPayment', words: 'payment return', ...payment },
  { id: 'getProfile', words: 'profile show', account: 'any' },
  {
    id: 'setProfile',
    words: 'profile set',
    args: ['settings'],
    account: 'any',
    example: 'createStatus=202 events=completed,failed',
  },
];

const webhooks: readonly CommandRow[] = [
  {
    id: 'setEndpoint',
    words: 'endpoint set',
    args: ['url'],
    account: 'own',
    reveals: true,
    example: 'http://localhost:3000/webhooks',
  },
  { id: 'getEndpoint', words: 'endpoint show', account: 'own' },
  { id: 'removeEndpoint', words: 'endpoint remove', account: 'own' },
  { id: 'rotateSecret', words: 'endpoint rotate-secret', account: 'own', reveals: true },
  {
    id: 'listDeliveries',
    words: 'deliveries list',
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
  { id: 'redeliver', words: 'deliveries redeliver', args: ['delivery'], example: 'dlv_test_…' },
  {
    id: 'waitForDelivery',
    words: 'deliveries wait',
    account: 'own',
    example: '--event payment.completed --timeout 10s',
  },
  { id: 'collectEvents', words: 'deliveries collect', account: 'own', reveals: true },
  {
    id: 'listCollected',
    words: 'deliveries collected',
    account: 'own',
    columns: { id: 'id', payment_id: 'payment_id', event: 'event', body: 'body' },
  },
];

const faults: readonly CommandRow[] = [
  {
    id: 'injectFault',
    words: 'faults inject',
    args: ['kind'],
    account: 'any',
    example: 'status --status 503 --operation createPayment',
  },
  {
    id: 'listFaults',
    words: 'faults list',
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
  { id: 'removeFault', words: 'faults remove', args: ['fault'], example: 'flt_000001' },
  { id: 'clearFaults', words: 'faults clear', account: 'any' },
  { id: 'setRateLimit', words: 'rate-limit set', args: ['requests', 'window'], example: '10 1m' },
  { id: 'clearRateLimit', words: 'rate-limit clear' },
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
    words: 'requests list',
    account: 'any',
    columns: requestColumns,
    example: '--operation createPayment',
  },
  {
    id: 'waitForRequests',
    words: 'requests wait',
    account: 'any',
    columns: requestColumns,
    example: '--count 1',
  },
  { id: 'clearRequests', words: 'requests clear', account: 'any' },
];

/** Lists every command that steers a sandbox: one for each operation of its control. */
export const commandRows: readonly CommandRow[] = [
  ...state,
  ...accounts,
  ...payments,
  ...webhooks,
  ...faults,
  ...requests,
];
