import type { WebhookEvent } from '@service/webhooks';

/** Says when enough has come: so many events, or one of a name; never, where neither is said. */
export type Goal = { readonly count?: number | undefined; readonly until?: string | undefined };

/** Counts events. */
export type Tally = {
  /** Names what is to be reached; undefined where there is nothing to. */
  readonly goal: string | undefined;
  /** Takes an event, and tells whether the goal is reached. */
  readonly add: (event: WebhookEvent) => boolean;
};

/** Creates a tally at zero. */
export function createTally({ count, until }: Goal): Tally {
  let seen = 0;
  return {
    goal: count === undefined ? until : `${count} of the events`,
    add: ({ event }) => {
      seen += 1;
      return seen === count || event === until;
    },
  };
}

/** Reports a run that ended before what it was to wait for. */
export class GoalMissedError extends Error {
  override readonly name = 'GoalMissedError' as const;
}
