// The commands that the pictures of the documentation show.
import type { Mock } from '@service/mock';

/** A command of a recording. */
export interface Step {
  /** The command line, or a function of the text of the previous output. */
  readonly command: string | ((before: string) => string);
  /** Kills the program when its output matches, to show an interrupted run. */
  readonly killAt?: RegExp;
  /** The variables of the environment, besides those of the mock. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A recording of commands with a mock. */
export interface Scene {
  /** The package whose documentation has the picture. */
  readonly package: string;
  /** The name of the picture. */
  readonly name: string;
  /** The text for readers who cannot see the picture. */
  readonly title: string;
  readonly rows: number;
  readonly steps: readonly Step[];
  /** The files of the working directory, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Prepares the mock. */
  readonly setUp?: (mock: Mock) => void;
}

/** The mock repeats the response of a key, and one payment at a time makes the pictures equal. */
const replayed = '--service-idempotency replayed --key-retention 24h --concurrency 1 --timeout 2s';

/** The recordings of the documentation. */
export const scenes: readonly Scene[] = [
  {
    package: 'cli',
    name: 'lost-response',
    title:
      'service-cli pays, loses the response to a second payment, and finds that payment in place of paying twice',
    rows: 26,
    steps: [
      { command: "service-cli pay USD EUR 1000.00 --name 'Acme Supplies Ltd' --purpose INV-42 --wait" },
      { command: 'service-cli sandbox faults inject reset_after_commit --operation createPayment' },
      { command: "service-cli pay USD EUR 250.00 --name 'Hanse Logistik GmbH' --purpose INV-43" },
      {
        command: (before) => findCommand(before, 'service-cli payment reconcile'),
      },
    ],
  },
  {
    package: 'cli',
    name: 'killed-run',
    title:
      'service-cli pays a file of six suppliers, is killed in the middle, and pays the others with the same command',
    rows: 30,
    files: {
      'payments.csv': `reference,from,to,amount,name,account,purpose
INV-42,USD,EUR,1000.00,Acme Supplies Ltd,DE89370400440532013000,Invoice 42
INV-43,USD,EUR,250.00,Hanse Logistik GmbH,DE02120300000000202051,Invoice 43
INV-44,USD,GBP,80.50,Thames Paper Ltd,GB29NWBK60161331926819,Invoice 44
INV-45,USD,EUR,1200.00,Rhone Textiles SA,FR1420041010050500013M02606,Invoice 45
INV-46,USD,EUR,75.25,Delta Foods BV,NL91ABNA0417164300,Invoice 46
INV-47,USD,GBP,640.00,Clyde Tools Ltd,GB82WEST12345698765432,Invoice 47
`,
    },
    setUp: ({ sandbox }) => {
      sandbox.faults.inject({ kind: 'latency', ms: 400, operation: 'createPayment', times: 'unlimited' });
    },
    steps: [
      { command: `service-cli pay --file payments.csv --yes ${replayed}`, killAt: /3 created/ },
      { command: `service-cli pay --file payments.csv --yes ${replayed}` },
      { command: 'service-cli sandbox payment list' },
    ],
  },
  {
    package: 'sdk',
    name: 'unknown-outcome',
    title:
      'A program creates a payment, loses the response, and finds the payment in place of creating another one',
    rows: 29,
    files: {
      'pay.ts': `import { createClient, isPaymentOutcomeUnknownError } from '@service/sdk';

const client = createClient(); // SERVICE_API_KEY and SERVICE_BASE_URL
try {
  const payment = await client.payments.create({
    from_currency: 'USD',
    to_currency: 'EUR',
    amount: '1000.00',
    beneficiary_name: 'Acme Supplies Ltd',
    purpose: 'INV-42',
  });
  console.log('created:', payment.id);
} catch (error) {
  if (!isPaymentOutcomeUnknownError(error)) throw error;
  console.log('unknown:', error.message);
  const search = await client.payments.reconcile(error); // only reads
  console.log(search.result, search.result === 'found' ? search.payment.id : '');
}
const { balances } = await client.balance.retrieve();
console.log('USD', balances.find(({ currency }) => currency === 'USD')?.balance);
`,
    },
    setUp: ({ sandbox }) => {
      sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
    },
    steps: [{ command: 'cat pay.ts' }, { command: 'node pay.ts' }],
  },
  {
    package: 'webhooks',
    name: 'receiver',
    title: 'A receiver handles a webhook once, acknowledges its repetition, and rejects a forged one',
    rows: 28,
    files: {
      'receive.ts': `import { createReceiver } from '@service/webhooks';
import { events, signedRequest } from '@service/webhooks/testing';

const secret = 'a signing secret';
const receive = createReceiver({
  secrets: secret,
  on: { 'payment.completed': ({ data }) => console.log('paid', data.id) },
  fallback: () => {},
});

const event = events.completed();
const requests = {
  first: await signedRequest(event, { secret }),
  repeated: await signedRequest(event, { secret }),
  forged: await signedRequest(event, { secret: 'another secret' }),
};
for (const [name, request] of Object.entries(requests))
  console.log(name, (await receive(request)).status);
`,
    },
    steps: [{ command: 'cat receive.ts' }, { command: 'node receive.ts' }],
  },
  {
    package: 'probe',
    name: 'findings',
    title: 'A program measures a service and prints its behavior with the evidence',
    rows: 30,
    files: {
      'measure.ts': `import { probe } from '@service/probe';

const connection = { apiKey: process.env.SERVICE_API_KEY, baseUrl: process.env.SERVICE_BASE_URL };
const { findings } = await probe(connection);
for (const { setting, state, evidence } of findings.slice(0, 20))
  console.log(setting.padEnd(18), state.padEnd(8), evidence.slice(0, 66));
`,
    },
    steps: [{ command: 'cat measure.ts' }, { command: 'node measure.ts' }],
  },
  {
    package: 'contract',
    name: 'operations',
    title: 'A program prints the operations and payment statuses of the contract',
    rows: 17,
    files: {
      'print.ts': `import { operations, paymentStatuses } from '@service/contract';

console.table(operations, ['method', 'path', 'successStatus']);
console.log(paymentStatuses);
`,
    },
    steps: [{ command: 'cat print.ts' }, { command: 'node print.ts' }],
  },
];

/** Returns the command that an output tells the reader to run. */
function findCommand(output: string, start: string): string {
  const line = output.split('\n').find((text) => text.trim().startsWith(start));
  if (line === undefined) throw new Error(`The output has no command ${start}.`);
  return line.trim();
}
