import type { Delivery } from '../domain/delivery.ts';
import type { EventName } from '../domain/payment.ts';
import type { AccountState } from '../state/account-state.ts';
import type { FetchRequest, SignedRequest, WebhookSender } from './attempt.ts';

/** The URL of an endpoint that collects events in process. */
export const COLLECT = 'collect:';

/** The request URL that an in-process receiver sees. */
const RECEIVER_URL = 'http://localhost/webhooks';

/** A collected event. It is a valid second argument of `new Request(url, event)`. */
export interface CollectedEvent {
  /** The id of its delivery. */
  readonly id: string;
  /** The id of the payment (`pay_test_…`) whose status changed. */
  readonly payment_id: string;
  /** The name of the event, such as `'payment.completed'`. */
  readonly event: EventName;
  /** Always `'POST'`, as `new Request` expects it. */
  readonly method: 'POST';
  /** The sent headers, including `X-Service-Signature`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The signed text. */
  readonly body: string;
}

/** Endpoints that collect events in process instead of sending them. */
export interface InProcessEndpoints {
  /** Opens an empty endpoint. `receive` responds to each event like an HTTP receiver. */
  readonly open: (accountState: AccountState, receive: FetchRequest | undefined) => void;
  /** Returns the collected events in the order of their arrival. Empty without an endpoint. */
  readonly list: (accountState: AccountState) => readonly CollectedEvent[];
  /**
   * Creates the sender of a delivery to its in-process endpoint. Without a receiver it acknowledges every
   * event.
   */
  readonly senderOf: (accountState: AccountState, delivery: Delivery) => WebhookSender;
}

interface InProcessEndpoint {
  readonly events: CollectedEvent[];
  readonly receive: FetchRequest | undefined;
}

/** Returns the key of an endpoint: a restored account state has the secret of its endpoint again. */
function keyOf({ source, endpoint }: AccountState): string {
  return `${source} ${endpoint?.secret}`;
}

/** Creates an empty set of in-process endpoints. */
export function createInProcessEndpoints(): InProcessEndpoints {
  const inProcessEndpoints = new WeakMap<AccountState, InProcessEndpoint>();
  /** By endpoint: a reset or restore replaces the account state, and keeps the receiver. */
  const receivers = new Map<string, FetchRequest | undefined>();
  const open = (accountState: AccountState, receive: FetchRequest | undefined): InProcessEndpoint => {
    const inProcessEndpoint = { events: [], receive };
    inProcessEndpoints.set(accountState, inProcessEndpoint);
    return inProcessEndpoint;
  };
  return {
    open(accountState, receive) {
      receivers.set(keyOf(accountState), receive);
      open(accountState, receive);
    },
    list: (accountState) => (inProcessEndpoints.get(accountState)?.events ?? []).map(copyEvent),
    senderOf(accountState, delivery) {
      const { events, receive } =
        inProcessEndpoints.get(accountState) ?? open(accountState, receivers.get(keyOf(accountState)));
      return async (signed, signal) => {
        const collected = toCollectedEvent(delivery, signed);
        events.push(collected);
        if (receive === undefined) return 200;
        return (await receive(new Request(RECEIVER_URL, { ...collected, signal }))).status;
      };
    },
  };
}

function toCollectedEvent(
  { id, payment_id, event }: Delivery,
  { headers, body }: SignedRequest,
): CollectedEvent {
  const text = new TextDecoder().decode(body);
  return { id, payment_id, event, method: 'POST', headers, body: text };
}

/** Copies an event, so that changes by the caller have no effect here. */
function copyEvent(event: CollectedEvent): CollectedEvent {
  return { ...event, headers: { ...event.headers } };
}
