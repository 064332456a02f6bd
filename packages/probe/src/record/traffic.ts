import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { toRecord } from '@service/internal';
import type { Exchange } from '../exchange.ts';
import { createMask } from './mask.ts';
import { type Destination, type Proxy, type ProxyError, startProxy } from './proxy.ts';

/** The addresses and callbacks of a recorder. */
export interface RecordTrafficOptions {
  /** The base URL of the service, including the version segment. */
  readonly to: URL;
  /**
   * The port to listen on; 0 for any free port.
   *
   * @default 0
   */
  readonly port?: number | undefined;
  /**
   * The address to listen on.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string | undefined;
  /**
   * The receiver of the application, to which a second listener forwards webhooks.
   *
   * @default none: webhooks are not recorded
   */
  readonly webhooks?: WebhookForwarding | undefined;
  /**
   * Whether the names of beneficiaries and banks stay readable.
   *
   * @default false
   */
  readonly keepNames?: boolean | undefined;
  /** Called with each exchange, whose private values are masked. */
  readonly onExchange: (exchange: Exchange) => void;
  /** Called with the reason for each request that was not forwarded, or not kept. */
  readonly onRefused?: ((reason: string) => void) | undefined;
  /**
   * Returns the time in milliseconds, for tests.
   *
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}

/** A receiver of webhooks, and the port of the listener for it. */
export interface WebhookForwarding {
  /** The URL of the receiver. */
  readonly to: URL;
  /**
   * The port to which the webhook endpoint of the service leads; 0 for any free port.
   *
   * @default 0
   */
  readonly port?: number | undefined;
}

/** A running recorder. */
export interface TrafficRecorder {
  /** The base URL for the application. */
  readonly baseUrl: URL;
  /** The address of the listener for webhooks. */
  readonly webhookUrl: URL | undefined;
  /** Stops listening. Waits at most 2 s for open requests. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a proxy between an application and a service in test mode, and records their traffic. Refuses requests with a live
 * key.
 *
 * @throws {Error} with a `code` such as `EADDRINUSE` when the address cannot be listened on.
 * @example
 * const to = new URL('https://sandbox.example.com/api/v1');
 * const { baseUrl, close } = await recordTraffic({ to, onExchange: ({ request }) => console.log(request.path) });
 */
export async function recordTraffic(options: RecordTrafficOptions): Promise<TrafficRecorder> {
  const { to, port = 0, host = '127.0.0.1', webhooks, now = Date.now } = options;
  const mask = createMask({ secret: randomUUID(), keepsNames: options.keepNames ?? false });
  const basePath = to.pathname.replace(/\/+$/, '');
  const start = (kind: Exchange['kind'], given: Pick<StartOptions, 'port' | 'route'>): Promise<Proxy> =>
    startProxy({
      ...given,
      host,
      now,
      onForwarded: (forwarded) => {
        const { path } = forwarded.request;
        const own = kind === 'api' ? path.slice(basePath.length) || '/' : path;
        const exchange = { kind, ...forwarded, request: { ...forwarded.request, path: own } };
        if (isLive(exchange)) options.onRefused?.('An event in live mode was forwarded, but not kept.');
        else options.onExchange(mask(exchange));
      },
    });
  const api = await start('api', { port, route: createRoute(to, basePath, options.onRefused) });
  const hooks =
    webhooks &&
    (await start('webhook', { port: webhooks.port ?? 0, route: () => toDestination(webhooks.to) }).catch(
      async (error: unknown) => {
        await api.close();
        throw error;
      },
    ));
  return {
    baseUrl: new URL(basePath || '/', api.url),
    webhookUrl: hooks?.url,
    close: async () => void (await Promise.all([api.close(), hooks?.close()])),
  };
}

type StartOptions = Parameters<typeof startProxy>[0];

function toDestination({ origin, pathname, search }: URL): Destination {
  return { origin: new URL(origin), path: `${pathname}${search}` };
}

/** Creates the function that forwards requests below the base path, and refuses live keys. */
function createRoute(
  to: URL,
  basePath: string,
  onRefused: RecordTrafficOptions['onRefused'],
): StartOptions['route'] {
  const origin = new URL(to.origin);
  return (incoming) => {
    const { method, url: path = '/' } = incoming;
    if (hasLiveKey(incoming)) {
      onRefused?.(`A ${method} request with a live key was refused. Use a test key (service_test_…).`);
      return liveKey;
    }
    if (path === basePath || path.startsWith(`${basePath}/`) || path.startsWith(`${basePath}?`))
      return { origin, path };
    onRefused?.(`A ${method} request outside ${basePath}/ was not forwarded.`);
    return {
      status: 404,
      type: 'not_recorded',
      message: `The recorder forwards only paths below ${basePath}/. End the base URL of the application with ${basePath}.`,
    };
  };
}

const liveKey: ProxyError = {
  status: 403,
  type: 'live_key_refused',
  message:
    'The recorder accepts only test keys (service_test_…). The request was not forwarded. Configure the application with its test key.',
};

/** Returns whether a header or the address of a request has a live key, in any encoding of HTTP. */
function hasLiveKey({ rawHeaders, url = '' }: IncomingMessage): boolean {
  const basic = rawHeaders.flatMap((text) => {
    const [, encoded] = /^basic\s+(\S+)/i.exec(text) ?? [];
    return encoded === undefined ? [] : [Buffer.from(encoded, 'base64').toString('utf8')];
  });
  return [...rawHeaders, ...basic, url].some((text) => /service_live_/i.test(unescape(text)));
}

function unescape(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 16)),
  );
}

/** Returns whether a webhook is about a payment in live mode. */
function isLive({ kind, request: { body } }: Exchange): boolean {
  const { mode, data } = toRecord(body);
  return kind === 'webhook' && (mode === 'live' || toRecord(data).mode === 'live');
}
