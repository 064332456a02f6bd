import type { WebhookEvent } from '@service/webhooks';

/** The number or the name of the events to wait for. Never met if both are undefined. */
export interface StopCondition {
  readonly count?: number | undefined;
  readonly until?: string | undefined;
}

export interface EventCounter {
  /** The stop condition as text. Undefined if there is none. */
  readonly condition: string | undefined;
  /** Counts an event. Returns true when the stop condition is met. */
  readonly add: (event: WebhookEvent) => boolean;
}

export function createEventCounter({ count, until }: StopCondition): EventCounter {
  let seen = 0;
  return {
    condition: count === undefined ? until && `${until} was received` : `${count} events were received`,
    add: ({ event }) => {
      seen += 1;
      return seen === count || event === until;
    },
  };
}

/** The command ended before its stop condition was met. */
export class StopConditionError extends Error {
  override readonly name = 'StopConditionError' as const;
}
