import { isValidSignature } from '@service/webhooks';
import { toRecord } from './wire.ts';

/** Holds a delivery that came, was genuine, and could be read. */
export type Arrival = {
  readonly id: string;
  readonly status: string;
  readonly text: string;
  readonly created_at: unknown;
};

/** Keeps the webhooks that come, and answers them as it is told to. */
export type Inbox = {
  readonly arrivals: readonly Arrival[];
  /** Takes a delivery and returns the status to answer it with: 401 when it is not genuine. */
  readonly take: (body: Uint8Array, signature: string | undefined) => number;
  /** Answers the next delivery that is genuine with a status, and those after it with 200 again. */
  readonly answerNext: (status: number) => void;
};

/** Creates an inbox for deliveries that are signed with a secret. */
export function createInbox(secret: string): Inbox {
  const arrivals: Arrival[] = [];
  let next = 200;
  return {
    arrivals,
    take: (body, signature) => {
      if (!isValidSignature(body, signature ?? '', secret)) return 401;
      const arrival = read(Buffer.from(body).toString('utf8'));
      if (arrival !== undefined) arrivals.push(arrival);
      const status = next;
      next = 200;
      return status;
    },
    answerNext: (status) => {
      next = status;
    },
  };
}

function read(text: string): Arrival | undefined {
  try {
    const { data, created_at } = toRecord(JSON.parse(text));
    const { id, status } = toRecord(data);
    if (typeof id === 'string' && typeof status === 'string') return { id, status, text, created_at };
  } catch {
    // Genuine, and no event: nothing that the experiments ask about.
  }
  return undefined;
}
