import type { Deliveries } from '../webhooks/deliveries.ts';
import { COLLECT } from '../webhooks/in-process-endpoint.ts';
import type { Fetch } from '../webhooks/send.ts';
import type { AccountState } from '../state/account-state.ts';
import { deriveHex } from '../state/ids.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { State } from '../state/state.ts';
import { checkArguments } from './arguments.ts';
import { type AccountModeRef, findAccountState } from './locate.ts';

/** Sets up an endpoint of an account and mode. */
export interface EndpointOptions extends AccountModeRef {
  /** An http or https address on this machine, or at a host of `createMock({ webhooks: { allowHosts } })`. */
  readonly url: string;
  /**
   * The text that signs events.
   *
   * @default 64 hex digits of its own
   */
  readonly secret?: string;
}

/** Sets up an endpoint that collects its events in process. */
export interface CollectOptions extends AccountModeRef {
  /**
   * The text that signs events.
   *
   * @default 64 hex digits of its own
   */
  readonly secret?: string;
  /**
   * Takes each event as a receiver over HTTP would: 200 acknowledges it, anything else has it tried again. A snapshot cannot
   * hold it: after a restore events are acknowledged at once, until it is given again.
   *
   * @default every event is acknowledged at once
   * @example createReceiver({ secrets: secret, on })
   */
  readonly receive?: Fetch;
}

/** Shows the secret that signs the events of an endpoint, this once. */
export interface IssuedSecret {
  readonly secret: string;
}

/** Says where events go; there is one endpoint for each account and mode. */
export interface EndpointControl {
  /**
   * Sets the endpoint. What happened before is not sent; what is queued is signed with the secret of the moment. Throws
   * `SandboxError` for an address that nothing is delivered to.
   */
  readonly setEndpoint: (endpoint: EndpointOptions) => IssuedSecret;
  /** Returns where events go, without the secret; null where there is no endpoint, `collect:` where they are collected. */
  readonly endpoint: (ref?: AccountModeRef) => { readonly url: string } | null;
  /** Makes the endpoint one that sends nothing: its events are signed, kept for `collected` and acknowledged. */
  readonly collect: (options?: CollectOptions) => IssuedSecret;
  /** Replaces the secret; whatever is sent from now on is signed with the new one. Throws `SandboxError`. */
  readonly rotateSecret: (ref?: AccountModeRef) => IssuedSecret;
  /** Removes the endpoint; events are recorded but no longer sent, and retries stop. */
  readonly removeEndpoint: (ref?: AccountModeRef) => void;
}

/** Creates the control of endpoints. */
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
      throw new SandboxError('invalid_state', 'There is no endpoint whose secret to rotate.');
    },
    removeEndpoint(ref = {}) {
      checkArguments('webhooks.removeEndpoint', ref, ['account', 'mode']);
      findAccountState(state, ref).endpoint = null;
    },
  };
}

function readReceiver({ receive }: CollectOptions): Fetch | undefined {
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

/** Lists what an unset variable turns into; white space and zero bytes are as good as no secret. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(['', 'undefined', 'null']);

/** Checks a secret; the error never shows it. */
function checkSecret(secret: unknown): void {
  if (typeof secret === 'string' && !PLACEHOLDERS.has(secret.replaceAll('\0', '').trim())) return;
  throw new SandboxError('invalid_argument', 'A signing secret must be text that is not empty.');
}
