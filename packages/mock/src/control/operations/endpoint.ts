import { COLLECT } from '../../webhooks/in-process-endpoint.ts';
import type { FetchRequest } from '../../webhooks/attempt.ts';
import type { AccountState } from '../../state/account-state.ts';
import type { State } from '../../state/state.ts';
import { deriveHex } from '../../domain/ids.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { accountMode, callable } from '../fields.ts';
import { type AccountModeRef, findAccountState } from '../locate.ts';
import { operation, type Operations } from '../operation.ts';
import { annotate, convert, optional, type Schema, text } from '../../domain/schema.ts';

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
   * @example createReceiver({ secrets: secret, on, fallback: () => {} })
   */
  readonly receive?: FetchRequest;
}

/** A new signing secret. It is returned only once. */
export interface IssuedSecret {
  /** The signing secret, for `createReceiver` or `createVerifier`. */
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
  readonly endpoint: (ref?: AccountModeRef) => {
    /** The URL that receives events; `collect:` for collected events. */
    readonly url: string;
  } | null;
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

/** Texts that an unset variable turns into. Blank text and zero bytes count as empty. */
const placeholders: ReadonlySet<string> = new Set(['', 'undefined', 'null']);

const secret = optional(
  convert(
    "non-empty text, and neither 'undefined' nor 'null'",
    (value) =>
      typeof value === 'string' && !placeholders.has(value.replaceAll('\0', '').trim()) ? value : undefined,
    { type: 'string', pattern: '[^\\s\\x00]', not: { enum: [...placeholders] } },
  ),
);

/** The address and the signing secret of an endpoint. */
export const endpointFields: { readonly url: Schema<string>; readonly secret: Schema<string | undefined> } = {
  url: annotate(text('an http or https URL on a loopback host, or on an allowed host'), {
    pattern: '^https?://[^\\s/?#@]+(?:[/?#]\\S*)?$',
    examples: ['http://localhost:3000/webhooks'],
  }),
  secret,
};

/** Operations on webhook endpoints. */
export const endpoints: Operations<EndpointControl> = {
  setEndpoint: operation('setEndpoint', 'PUT /webhooks/endpoint', {
    cli: { command: 'endpoint set', reveals: true },
    input: { ...accountMode, ...endpointFields },
    run({ state, deliveries }, endpoint) {
      const accountState = findAccountState(state, endpoint);
      const url = deliveries.addresses.checkUrl(endpoint.url, accountState.mode);
      return setEndpoint(state, accountState, { url, secret: endpoint.secret });
    },
  }),
  endpoint: operation('getEndpoint', 'GET /webhooks/endpoint', {
    cli: { command: 'endpoint show' },
    input: accountMode,
    run({ state }, ref): { readonly url: string } | null {
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
      state.durability.recorder?.recordSettings(accountState);
    },
  }),
  rotateSecret: operation('rotateSecret', 'POST /webhooks/endpoint/rotate-secret', {
    cli: { command: 'endpoint rotate-secret', reveals: true },
    input: accountMode,
    run({ state }, ref) {
      const accountState = findAccountState(state, ref);
      if (accountState.endpoint !== null)
        return setEndpoint(state, accountState, { url: accountState.endpoint.url });
      throw new SandboxError('invalid_state', 'There is no endpoint, so there is no secret to rotate.');
    },
  }),
  collect: operation('collectEvents', 'POST /webhooks/collect', {
    cli: { command: 'deliveries collect', reveals: true },
    input: {
      ...accountMode,
      secret,
      receive: optional(callable<FetchRequest>('a function from a Request to a Response')),
    },
    local: ['receive'],
    run({ state, deliveries }, options) {
      const accountState = findAccountState(state, options);
      const issued = setEndpoint(state, accountState, { url: COLLECT, secret: options.secret });
      deliveries.inProcessEndpoints.open(accountState, options.receive);
      return issued;
    },
  }),
};

interface NewEndpoint {
  readonly url: string;
  readonly secret?: string | undefined;
}

function setEndpoint(
  { durability }: State,
  accountState: AccountState,
  { url, secret: given }: NewEndpoint,
): IssuedSecret {
  accountState.secretsIssued += 1;
  const issued = given ?? deriveHex(accountState.source, `signing secret ${accountState.secretsIssued}`, 64);
  accountState.endpoint = { url, secret: issued };
  durability.recorder?.recordSettings(accountState);
  return { secret: issued };
}
