import type { Deliveries } from '../webhooks/dispatcher.ts';
import { COLLECT } from '../webhooks/in-process-endpoint.ts';
import type { FetchRequest } from '../webhooks/attempt.ts';
import type { AccountState } from '../state/account-state.ts';
import { deriveHex } from '../state/ids.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { State } from '../state/state.ts';
import { checkArguments } from './arguments.ts';
import { type AccountModeRef, findAccountState } from './locate.ts';

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

/** The options of an endpoint that collects events in process. */
export interface CollectOptions extends AccountModeRef {
  /**
   * The signing secret.
   *
   * @default 64 derived hexadecimal digits
   */
  readonly secret?: string;
  /**
   * Receives each event like an HTTP receiver: 200 acknowledges it, any other status causes a retry.
   * Snapshots do not contain it: after a restore, events are acknowledged immediately until the next
   * `collect`.
   *
   * @default acknowledges every event immediately
   * @example createReceiver({ secrets: secret, on })
   */
  readonly receive?: FetchRequest;
}

/** A new signing secret. It is returned only once. */
export interface IssuedSecret {
  readonly secret: string;
}

/** Webhook endpoints: one for each account and mode. */
export interface EndpointControl {
  /**
   * Sets the endpoint. Earlier events are not sent; queued events are signed with the secret at the time of
   * sending.
   *
   * @throws {SandboxError} for an address that is not allowed
   */
  readonly setEndpoint: (endpoint: EndpointOptions) => IssuedSecret;
  /**
   * Returns the URL of the endpoint without its secret: null without an endpoint, `collect:` for collected
   * events.
   */
  readonly endpoint: (ref?: AccountModeRef) => { readonly url: string } | null;
  /** Collects events in process instead of sending them: signs, stores and acknowledges each one. */
  readonly collect: (options?: CollectOptions) => IssuedSecret;
  /**
   * Replaces the signing secret. Later attempts use the new one.
   *
   * @throws {SandboxError} without an endpoint
   */
  readonly rotateSecret: (ref?: AccountModeRef) => IssuedSecret;
  /** Removes the endpoint. Later events are not sent, and retries stop. */
  readonly removeEndpoint: (ref?: AccountModeRef) => void;
}

/** Creates the endpoint control of a sandbox. */
export function createEndpointControl(
  state: State,
  { addresses, inProcessEndpoints }: Deliveries,
): EndpointControl {
  return {
    setEndpoint(endpoint) {
      checkArguments('webhooks.setEndpoint', endpoint, ['account', 'mode', 'url', 'secret']);
      const accountState = findAccountState(state, endpoint);
      return setEndpoint(accountState, addresses.checkUrl(endpoint.url, accountState.mode), endpoint.secret);
    },
    endpoint(ref = {}) {
      checkArguments('webhooks.endpoint', ref, ['account', 'mode']);
      const { endpoint } = findAccountState(state, ref);
      return endpoint === null ? null : { url: endpoint.url };
    },
    collect(options = {}) {
      checkArguments('webhooks.collect', options, ['account', 'mode', 'secret', 'receive']);
      const accountState = findAccountState(state, options);
      const receive = readReceiver(options);
      const issued = setEndpoint(accountState, COLLECT, options.secret);
      inProcessEndpoints.open(accountState, receive);
      return issued;
    },
    rotateSecret(ref = {}) {
      checkArguments('webhooks.rotateSecret', ref, ['account', 'mode']);
      const accountState = findAccountState(state, ref);
      if (accountState.endpoint !== null)
        return setEndpoint(accountState, accountState.endpoint.url, undefined);
      throw new SandboxError('invalid_state', 'There is no endpoint, so there is no secret to rotate.');
    },
    removeEndpoint(ref = {}) {
      checkArguments('webhooks.removeEndpoint', ref, ['account', 'mode']);
      findAccountState(state, ref).endpoint = null;
    },
  };
}

function readReceiver({ receive }: CollectOptions): FetchRequest | undefined {
  if (receive === undefined || typeof receive === 'function') return receive;
  throw new SandboxError('invalid_argument', 'receive must be a function from a Request to a Response.');
}

function setEndpoint(accountState: AccountState, url: string, given: string | undefined): IssuedSecret {
  if (given !== undefined) checkSecret(given);
  accountState.secretsIssued += 1;
  const secret = given ?? deriveHex(accountState.source, `signing secret ${accountState.secretsIssued}`, 64);
  accountState.endpoint = { url, secret };
  return { secret };
}

/** Texts that an unset variable turns into. Blank text and zero bytes count as empty. */
const placeholders: ReadonlySet<string> = new Set(['', 'undefined', 'null']);

/** Checks a signing secret. The error does not contain it. */
function checkSecret(secret: unknown): void {
  if (typeof secret === 'string' && !placeholders.has(secret.replaceAll('\0', '').trim())) return;
  throw new SandboxError('invalid_argument', 'A signing secret must be non-empty text.');
}
