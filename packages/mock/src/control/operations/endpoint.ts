import { COLLECT } from '../../webhooks/in-process-endpoint.ts';
import type { FetchRequest } from '../../webhooks/attempt.ts';
import type { AccountState } from '../../state/account-state.ts';
import type { State } from '../../state/state.ts';
import { deriveHex } from '../../state/ids.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { accountMode } from '../fields.ts';
import { type AccountModeRef, findAccountState } from '../locate.ts';
import { convertBody, defineOperation, type Group, type Routes } from '../operation.ts';
import { callable } from '@service/internal';
import { nullable, object, optional, text } from '../../domain/schema.ts';
import type { Value } from '../../domain/value.ts';

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

const secret = optional({
  ...text("non-empty text, and neither 'undefined' nor 'null'"),
  isSecret: true,
  parse: (value) =>
    typeof value === 'string' && !placeholders.has(value.replaceAll('\0', '').trim()) ? value : undefined,
  json: { type: 'string', pattern: '[^\\s\\x00]', not: { enum: [...placeholders] } },
} satisfies Value<string>);

/** The schema of a signing secret. */
export const issuedSecret: Value<IssuedSecret> = object({ secret: text() }, 'IssuedSecret');

interface EndpointView {
  readonly url: string;
}

/** Operations on webhook endpoints. */
export const endpoints: Group<EndpointControl> = {
  setEndpoint: defineOperation({
    input: {
      ...accountMode,
      url: {
        ...text('an http or https URL on a loopback host, or on an allowed host'),
        json: {
          type: 'string',
          pattern: '^https?://[^\\s/?#@]+(?:[/?#]\\S*)?$',
          examples: ['http://localhost:3000/webhooks'],
        },
      },
      secret,
    },
    run({ state, deliveries }, endpoint) {
      const accountState = findAccountState(state, endpoint);
      const url = deliveries.addresses.checkUrl(endpoint.url, accountState.mode);
      return setEndpoint(state, accountState, { url, secret: endpoint.secret });
    },
  }),
  endpoint: defineOperation({
    input: accountMode,
    run({ state }, ref): EndpointView | null {
      const { endpoint } = findAccountState(state, ref);
      return endpoint === null ? null : { url: endpoint.url };
    },
  }),
  removeEndpoint: defineOperation({
    input: accountMode,
    run({ state }, ref) {
      const accountState = findAccountState(state, ref);
      accountState.endpoint = null;
      state.durability.recorder?.recordSettings(accountState);
    },
  }),
  rotateSecret: defineOperation({
    input: accountMode,
    run({ state }, ref) {
      const accountState = findAccountState(state, ref);
      if (accountState.endpoint !== null)
        return setEndpoint(state, accountState, { url: accountState.endpoint.url });
      throw new SandboxError('invalid_state', 'There is no endpoint, so there is no secret to rotate.');
    },
  }),
  collect: defineOperation({
    input: {
      ...accountMode,
      secret,
      receive: optional({
        ...callable<FetchRequest>(),
        expected: 'a function from a Request to a Response',
      }),
    },
    run({ state, deliveries }, options) {
      const accountState = findAccountState(state, options);
      const issued = setEndpoint(state, accountState, { url: COLLECT, secret: options.secret });
      deliveries.inProcessEndpoints.open(accountState, options.receive);
      return issued;
    },
  }),
};

/** The routes of the operations on webhook endpoints. */
export const endpointRoutes: Routes<EndpointControl> = {
  setEndpoint: {
    id: 'setEndpoint',
    method: 'PUT',
    path: '/webhooks/endpoint',
    output: issuedSecret,
    cli: { command: 'endpoint set', reveals: true },
  },
  endpoint: {
    id: 'getEndpoint',
    method: 'GET',
    path: '/webhooks/endpoint',
    output: convertBody(
      object<{ readonly endpoint: EndpointView | null }>({
        endpoint: nullable(object<EndpointView>({ url: text() })),
      }),
      (endpoint: EndpointView | null) => ({ endpoint }),
    ),
    cli: { command: 'endpoint show' },
  },
  removeEndpoint: {
    id: 'removeEndpoint',
    method: 'DELETE',
    path: '/webhooks/endpoint',
    cli: { command: 'endpoint remove' },
  },
  rotateSecret: {
    id: 'rotateSecret',
    method: 'POST',
    path: '/webhooks/endpoint/rotate-secret',
    output: issuedSecret,
    cli: { command: 'endpoint rotate-secret', reveals: true },
  },
  collect: {
    id: 'collectEvents',
    method: 'POST',
    path: '/webhooks/collect',
    output: issuedSecret,
    cli: { command: 'deliveries collect', reveals: true },
  },
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
