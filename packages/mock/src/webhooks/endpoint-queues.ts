import type { AccountState } from '../state/account-state.ts';
import { createSemaphore, type Semaphore } from './semaphore.ts';
import { createSerialQueue, type SerialQueue } from './serial-queue.ts';

/** Keeps the attempts at the endpoint of one books apart from those at all others. */
export interface EndpointQueue {
  /** First attempts, one event after another. */
  readonly first: SerialQueue;
  /** Attempts after the first, a few at a time, beside the queue and so never in front of it. */
  readonly retries: Semaphore;
}

/** Finds the line of books; the same one each time. */
export type EndpointQueues = (accountState: AccountState) => EndpointQueue;

/** Bounds the retries and redeliveries to one endpoint that are under way at once. */
const RETRY_CONCURRENCY = 8;

/** Creates the lines of a sandbox. */
export function createEndpointQueues(): EndpointQueues {
  const lines = new WeakMap<AccountState, EndpointQueue>();
  return (accountState) => {
    const line = lines.get(accountState) ?? {
      first: createSerialQueue(),
      retries: createSemaphore(RETRY_CONCURRENCY),
    };
    lines.set(accountState, line);
    return line;
  };
}
