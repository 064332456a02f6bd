import { toRecord } from './wire.ts';

/** Holds a genuine delivery that could be read. */
export type Arrival = {
  readonly id: string;
  readonly status: string;
  readonly text: string;
  readonly created_at: unknown;
};

/** Keeps the webhooks that come, and answers them as it is told to. */
export type Inbox = {
  readonly arrivals: readonly Arrival[];
  /** Takes the raw body of a genuine delivery and returns the status to answer it with. */
  readonly take: (body: Uint8Array) => number;
  /** Answers the next delivery with a status, and those after it with 200 again. */
  readonly answerNext: (status: number) => void;
};

/** Creates an inbox. */
export function createInbox(): Inbox {
  const arrivals: Arrival[] = [];
  let next = 200;
  return {
    arrivals,
    take: (body) => {
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
