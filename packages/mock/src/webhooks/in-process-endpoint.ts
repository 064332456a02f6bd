import type { Delivery } from '../domain/delivery.ts';
import type { EventName } from '../domain/event.ts';
import type { AccountState } from '../state/account-state.ts';
import type { WebhookSender, Fetch, SignedRequest } from './send.ts';

/** Stands for the address of an endpoint that collects its events in process. */
export const COLLECT = 'collect:';

/** Is where a receiver in process finds itself. */
const RECEIVER_URL = 'http://localhost/webhooks';

/** Holds an event as it reached an inbox; it serves as it is as the second argument of `new Request(url, event)`. */
export interface CollectedEvent {
  /** The delivery that it came with. */
  readonly id: string;
  readonly payment_id: string;
  readonly event: EventName;
  readonly method: 'POST';
  /** With `X-Service-Signature`, as they were sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** The signed text, as it was sent. */
  readonly body: string;
}

/** Keeps the events of endpoints that collect them instead of sending them anywhere. */
export interface InProcessEndpoints {
  /** Opens an empty inbox for books; `receive` answers each event as a receiver over HTTP would. */
  readonly open: (accountState: AccountState, receive: Fetch | undefined) => void;
  /** Lists what an inbox has been brought, in the order of arrival; empty where there never was one. */
  readonly list: (accountState: AccountState) => readonly CollectedEvent[];
  /** Makes the carrier that brings a delivery to the inbox of its books; without a receiver it is acknowledged at once. */
  readonly senderOf: (accountState: AccountState, delivery: Delivery) => WebhookSender;
}

interface InProcessEndpoint {
  readonly events: CollectedEvent[];
  readonly receive: Fetch | undefined;
}

/** Creates the inboxes of a sandbox; there are none yet. */
export function createInProcessEndpoints(): InProcessEndpoints {
  const inProcessEndpoints = new WeakMap<AccountState, InProcessEndpoint>();
  const open = (accountState: AccountState, receive: Fetch | undefined): InProcessEndpoint => {
    const inProcessEndpoint = { events: [], receive };
    inProcessEndpoints.set(accountState, inProcessEndpoint);
    return inProcessEndpoint;
  };
  return {
    open,
    list: (accountState) => (inProcessEndpoints.get(accountState)?.events ?? []).map(copyEvent),
    senderOf(accountState, delivery) {
      const { events, receive } = inProcessEndpoints.get(accountState) ?? open(accountState, undefined);
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

/** Copies an event, so that whoever changes what it was shown changes nothing here. */
function copyEvent(event: CollectedEvent): CollectedEvent {
  return { ...event, headers: { ...event.headers } };
}
