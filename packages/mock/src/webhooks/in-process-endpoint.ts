import type { Delivery } from '../domain/delivery.ts';
import type { Status } from '../domain/payment.ts';
import type { AccountState } from '../state/state.ts';
import type { FetchRequest, WebhookSender } from './sender.ts';

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
  readonly event: `payment.${Status}`;
  /** Always `'POST'`, as `new Request` expects it. */
  readonly method: 'POST';
  /** The sent headers, including `X-Service-Signature`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The signed text. */
  readonly body: string;
}

interface InProcessEndpoint {
  readonly events: CollectedEvent[];
  readonly receive: FetchRequest | undefined;
}

/** Returns the key of an endpoint: a restored account state has the secret of its endpoint again. */
function keyOf({ source, endpoint }: AccountState): string {
  return `${source} ${endpoint?.secret}`;
}

/** Endpoints that collect events in process instead of sending them. */
export class InProcessEndpoints {
  readonly #endpoints = new WeakMap<AccountState, InProcessEndpoint>();
  /** By endpoint: a reset or restore replaces the account state, and keeps the receiver. */
  readonly #receivers = new Map<string, FetchRequest | undefined>();

  /** Opens an empty endpoint. `receive` responds to each event like an HTTP receiver. */
  open(accountState: AccountState, receive: FetchRequest | undefined): InProcessEndpoint {
    const endpoint = { events: [], receive };
    this.#endpoints.set(accountState, endpoint);
    this.#receivers.set(keyOf(accountState), receive);
    return endpoint;
  }

  /** Returns copies of the collected events in the order of their arrival. Empty without an endpoint. */
  list(accountState: AccountState): readonly CollectedEvent[] {
    const { events = [] } = this.#endpoints.get(accountState) ?? {};
    return events.map((event) => ({ ...event, headers: { ...event.headers } }));
  }

  /**
   * Creates the sender of a delivery to its in-process endpoint. Without a receiver it acknowledges every
   * event.
   */
  senderOf(accountState: AccountState, { id, payment_id, event }: Delivery): WebhookSender {
    const { events, receive } =
      this.#endpoints.get(accountState) ?? this.open(accountState, this.#receivers.get(keyOf(accountState)));
    return async ({ headers, body: bytes }, signal) => {
      const body = new TextDecoder().decode(bytes);
      const collected: CollectedEvent = { id, payment_id, event, method: 'POST', headers, body };
      events.push(collected);
      if (receive === undefined) return 200;
      return (await receive(new Request(RECEIVER_URL, { ...collected, signal }))).status;
    };
  }
}
