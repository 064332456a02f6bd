import type { Delivery } from '../../domain/delivery.ts';
import { COLLECT, type CollectedEvent } from '../../webhooks/in-process-endpoint.ts';
import { accountMode, callable, reference } from '../fields.ts';
import { type AccountModeRef, findAccountState, formatId } from '../locate.ts';
import type { FetchRequest } from '../../webhooks/sender.ts';
import { stopDeliveries } from '../../webhooks/dispatcher.ts';
import { type AccountState, findAccountStateOf, type State } from '../../state/state.ts';
import { deriveText, HEX } from '../../domain/ids.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { operation, type Operations } from '../operation.ts';
import { page, type PageOptions, takePage } from '../page.ts';
import * as s from '../../domain/schema.ts';

/** The webhook endpoint of an account and mode. */
export interface EndpointOptions extends AccountModeRef {
  /** An http or https URL on a loopback host, or on a host of `createMock({ webhooks: { allowHosts } })`. */
  readonly url: string;
  /**
   * The signing secret.
   *
   * @default 64 derived hexadecimal digits
   */
  readonly secret?: string;
}

/** A new signing secret. It is returned only once. */
export interface IssuedSecret {
  /** The signing secret, for `createReceiver` or `createVerifier`. */
  readonly secret: string;
}

const expectedSecret = "non-empty text, and neither 'undefined' nor 'null'";
const secret = s.optional(
  // Blank text and zero bytes count as empty. The other texts are those of a variable that is not set.
  s.refine(s.text(expectedSecret, { pattern: '[^\\s\\x00]' }), (given) =>
    /^[\s\0]*(?:undefined|null)[\s\0]*$/.test(given) ? [`must be ${expectedSecret}`] : [],
  ),
);

/** The address and the signing secret of an endpoint. */
export const endpointFields = {
  url: s.annotate(s.text('an http or https URL on a loopback host, or on an allowed host'), {
    pattern: '^https?://[^\\s/?#@]+(?:[/?#]\\S*)?$',
    examples: ['http://localhost:3000/webhooks'],
  }),
  secret,
};

function setEndpoint(
  { changes }: State,
  accountState: AccountState,
  url: string,
  given?: string,
): IssuedSecret {
  accountState.secretsIssued += 1;
  const issued =
    given ?? deriveText(accountState.source, `signing secret ${accountState.secretsIssued}`, 64, HEX);
  accountState.endpoint = { url, secret: issued };
  changes.recordSettings(accountState.account);
  return { secret: issued };
}

/** Webhook endpoints, one for each account and mode, and their deliveries. */
export interface WebhookControl {
  /**
   * Sets the endpoint. Earlier events are not sent; queued events are signed with the secret at the time of
   * sending. The same URL without a secret replaces the secret.
   *
   * @throws {SandboxError} for an address that is not allowed
   */
  readonly setEndpoint: (endpoint: EndpointOptions) => IssuedSecret;
  /**
   * Returns the URL of the endpoint without its secret: null without an endpoint, `collect:` for collected
   * events.
   */
  readonly endpoint: (ref?: AccountModeRef) => {
    /** The URL that receives events; `collect:` for collected events. */
    readonly url: string;
  } | null;
  /** Collects events in process instead of sending them: signs, stores and acknowledges each one. */
  readonly collect: (
    options?: Omit<EndpointOptions, 'url'> & {
      /**
       * Receives each event like an HTTP receiver, such as the one of `createReceiver`: 200 acknowledges it, any other status causes a retry.
       * Snapshots do not contain it: after a restore, events are acknowledged immediately until the next
       * `collect`.
       *
       * @default acknowledges every event immediately
       */
      readonly receive?: (request: Request) => Promise<Response>;
    },
  ) => IssuedSecret;
  /** Removes the endpoint. Later events are not sent, and retries stop. */
  readonly removeEndpoint: (ref?: AccountModeRef) => void;
  /**
   * Returns the events since the last `collect`, in order. Each one is valid in `new Request(url, event)`.
   */
  readonly collected: (ref?: AccountModeRef & PageOptions) => readonly CollectedEvent[];
  /** Returns the deliveries with their attempts, oldest first. */
  readonly deliveries: (ref?: AccountModeRef & PageOptions) => readonly Delivery[];
  /**
   * Attempts a delivery again, immediately, and returns it.
   *
   * @throws {SandboxError} for an unknown delivery and without an endpoint
   */
  readonly redeliver: (id: string) => Promise<Delivery>;
}

/** Operations on webhook endpoints and deliveries. */
export const webhooks: Operations<WebhookControl> = {
  setEndpoint: operation('setEndpoint', 'PUT /webhooks/endpoint', {
    cli: { command: 'endpoint set', reveals: true },
    input: { ...accountMode, ...endpointFields },
    run({ state, deliveries }, endpoint) {
      const accountState = findAccountState(state, endpoint);
      const url = deliveries.addresses.checkUrl(endpoint.url, accountState.mode);
      return setEndpoint(state, accountState, url, endpoint.secret);
    },
  }),
  endpoint: operation('getEndpoint', 'GET /webhooks/endpoint', {
    cli: { command: 'endpoint show' },
    input: accountMode,
    run({ state }, ref) {
      const { endpoint } = findAccountState(state, ref);
      return endpoint === null ? null : { url: endpoint.url };
    },
    toBody: (endpoint) => ({ endpoint }),
  }),
  removeEndpoint: operation('removeEndpoint', 'DELETE /webhooks/endpoint', {
    cli: { command: 'endpoint remove' },
    input: accountMode,
    run({ state }, ref) {
      const accountState = findAccountState(state, ref);
      accountState.endpoint = null;
      stopDeliveries(accountState, state.changes);
      state.changes.recordSettings(accountState.account);
    },
  }),
  collect: operation('collectEvents', 'POST /webhooks/collect', {
    cli: { command: 'deliveries collect', reveals: true },
    input: {
      ...accountMode,
      secret,
      receive: s.optional(callable<FetchRequest>('a function from a Request to a Response')),
    },
    run({ state, deliveries }, options) {
      const accountState = findAccountState(state, options);
      const issued = setEndpoint(state, accountState, COLLECT, options.secret);
      deliveries.inProcessEndpoints.open(accountState, options.receive);
      return issued;
    },
  }),
  collected: operation('listCollected', 'GET /webhooks/collected', {
    cli: { command: 'deliveries collected' },
    input: { ...accountMode, ...page },
    run: ({ state, deliveries }, input) =>
      takePage(deliveries.inProcessEndpoints.list(findAccountState(state, input)), input),
    toBody: (events, { state, deliveries }, input) => ({
      events,
      total: deliveries.inProcessEndpoints.list(findAccountState(state, input)).length,
    }),
  }),
  deliveries: operation('listDeliveries', 'GET /webhooks/deliveries', {
    cli: { command: 'deliveries list' },
    input: { ...accountMode, ...page },
    run: ({ state }, input) =>
      takePage([...findAccountState(state, input).deliveries.values()], input).map(copyDelivery),
    toBody: (deliveries, { state }, ref) => ({
      deliveries,
      total: findAccountState(state, ref).deliveries.size,
    }),
  }),
  redeliver: operation('redeliver', 'POST /webhooks/deliveries/{delivery}/redeliver', {
    cli: { command: 'deliveries redeliver' },
    input: { delivery: reference('delivery', 'dlv_test_…') },
    isAsync: true,
    async run({ state, deliveries }, { delivery: id }) {
      const { accountState } = findDelivery(state, id);
      if (accountState.endpoint === null)
        throw new SandboxError('invalid_state', 'There is no endpoint to deliver to.');
      await deliveries.redeliver(accountState, id);
      return copyDelivery(findDelivery(state, id).delivery);
    },
  }),
};

/** Copies a delivery, so that changes by the caller have no effect here. */
export function copyDelivery(delivery: Delivery): Delivery {
  const attempts = delivery.attempts.map((attempt) => ({ ...attempt, result: { ...attempt.result } }));
  return { ...delivery, attempts };
}

/**
 * Returns a delivery and its account state.
 *
 * @throws {SandboxError} when the delivery does not exist, or is not one of the account
 */
export function findDelivery(
  state: State,
  id: string,
  account?: string,
): { readonly accountState: AccountState; readonly delivery: Delivery } {
  const accountState = findAccountStateOf(state, id, account, 'deliveries');
  const delivery = accountState?.deliveries.get(id);
  if (accountState !== undefined && delivery !== undefined) return { accountState, delivery };
  throw new SandboxError('not_found', `There is no delivery ${formatId(id)}.`);
}
