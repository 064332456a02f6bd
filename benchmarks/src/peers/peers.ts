import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

type Call = readonly [path: string, init: RequestInit];

/** The API of a peer: a payment that is created and read. */
interface Api {
  readonly create: (amount: number, key?: string) => Call;
  /** The path of the payment of an id. */
  readonly path: (id: string) => string;
  readonly auth: string;
  readonly readAmount: (body: unknown) => number | undefined;
  readonly readId: (body: unknown) => string | undefined;
}

/** Another local service for tests, and how to run it in an empty folder. */
export interface Peer {
  readonly name: string;
  readonly install: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly start: (port: number) => readonly string[];
  readonly api: Api | undefined;
  /** Absent if the peer sends no webhooks. */
  readonly webhooks?: {
    /** The request that sets the receiver. Default: the seed file sets it. */
    readonly endpoint?: Call;
    /** The request that causes a webhook. Default: a payment. */
    readonly cause?: Call;
  };
}

/** The port of the receiver of webhooks, which seed files name. */
export const RECEIVER_PORT = 18_199;

const form = (fields: Readonly<Record<string, string>>, key?: string): RequestInit => ({
  method: 'POST',
  headers: {
    authorization: 'Bearer sk_test_123',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  },
  body: new URLSearchParams(fields),
});

interface StripePayment {
  readonly id?: string;
  readonly amount?: number;
}

const stripe: Api = {
  create: (amount, key) => ['/v1/payment_intents', form({ amount: String(amount), currency: 'usd' }, key)],
  path: (id) => `/v1/payment_intents/${id}`,
  auth: 'Bearer sk_test_123',
  readAmount: (body) => (body as StripePayment).amount,
  readId: (body) => (body as StripePayment).id,
};

interface ServicePayment {
  readonly data?: { readonly id?: string; readonly send_amount?: number };
}

const createService = (prefix: string): Api => ({
  create: (amount, key) => [
    `${prefix}/payments`,
    {
      method: 'POST',
      headers: {
        authorization: 'Bearer service_test_peer',
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify({ from_currency: 'USD', to_currency: 'EUR', amount, beneficiary_name: 'Acme' }),
    },
  ],
  path: (id) => `${prefix}/payments/${id}`,
  auth: 'Bearer service_test_peer',
  readAmount: (body) => (body as ServicePayment).data?.send_amount,
  readId: (body) => (body as ServicePayment).data?.id,
});

export const peers: readonly Peer[] = [
  {
    name: 'service-cli mock',
    files: {
      'service.sandbox.yaml': `accounts:
  - name: peer
    testKey: service_test_peer
    endpoint:
      url: http://127.0.0.1:${RECEIVER_PORT}/
`,
    },
    install: `npm i ${['contract', 'sdk', 'webhooks', 'mock', 'probe', 'cli'].map((name) => `$(npm pack --silent --pack-destination . ${join(root, 'packages', name)})`).join(' ')} && rm *.tgz`,
    start: (port) => [
      process.execPath,
      'node_modules/.bin/service-cli',
      'mock',
      '--port',
      String(port),
      '--quiet',
    ],
    api: createService('/api/v1'),
    webhooks: {},
  },
  {
    name: 'emulate 0.12.2 (stripe)',
    install: 'npm i emulate@0.12.2',
    files: {
      'emulate.config.yaml': `stripe:
  webhooks:
    - url: http://127.0.0.1:${RECEIVER_PORT}/
      events: ['*']
      secret: whsec_test
`,
    },
    start: (port) => [
      process.execPath,
      'node_modules/.bin/emulate',
      '--service',
      'stripe',
      '--port',
      String(port),
    ],
    api: stripe,
    webhooks: {},
  },
  {
    name: 'localstripe 1.15.10',
    install: 'python3 -m venv . && bin/pip install --quiet localstripe==1.15.10',
    start: (port) => ['bin/localstripe', '--port', String(port), '--from-scratch'],
    api: stripe,
    webhooks: {
      endpoint: [
        '/_config/webhooks/peer',
        form({ url: `http://127.0.0.1:${RECEIVER_PORT}/`, secret: 'whsec_test' }),
      ],
      cause: ['/v1/customers', form({ email: 'a@example.com' })],
    },
  },
  {
    name: 'stripe-mock 0.203.0',
    install: 'GOBIN=$PWD go install github.com/stripe/stripe-mock@v0.203.0',
    start: (port) => ['./stripe-mock', '-http-port', String(port), '-https-port', String(port + 1)],
    api: stripe,
  },
  {
    name: 'Prism 5.16.0',
    install: 'npm i @stoplight/prism-cli@5.16.0',
    start: (port) => [
      process.execPath,
      'node_modules/.bin/prism',
      'mock',
      '-p',
      String(port),
      join(root, 'openapi.yaml'),
    ],
    api: createService(''),
  },
  {
    name: 'WireMock 3.13.2',
    install: 'npm i wiremock@3.13.2',
    start: (port) => [
      'java',
      '-jar',
      'node_modules/wiremock/build/wiremock-standalone-3.13.2.jar',
      '--port',
      String(port),
    ],
    api: undefined, // it responds with stubs that its user writes
  },
];
