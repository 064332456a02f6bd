import { parseJson, toRecord } from '../json.ts';

/** Holds a genuine delivery that told of a payment. */
export type Arrival = {
  /** Names the payment. */
  readonly id: string;
  /** Names the status that the event tells (spec §6); the payment may have another one by now. */
  readonly status: string;
  readonly text: string;
  /** Holds the status of the answer. */
  readonly answered: number;
};

/** Keeps the webhooks that come, and answers them as it is told to. */
export type Inbox = {
  readonly arrivals: readonly Arrival[];
  /** Takes the raw body of a genuine delivery and returns the status to answer it with. */
  readonly take: (body: Uint8Array) => number;
  /** Answers the first delivery of each payment of which none has come yet with a status, until told otherwise; all else with 200. */
  readonly answerNew: (status: number) => void;
};

/** Creates an inbox. */
export function createInbox(): Inbox {
  const arrivals: Arrival[] = [];
  let ofNew = 200;
  return {
    arrivals,
    take: (body) => {
      const event = read(Buffer.from(body).toString('utf8'));
      if (event === undefined) return 200;
      const answered = arrivals.some(({ id }) => id === event.id) ? 200 : ofNew;
      arrivals.push({ ...event, answered });
      return answered;
    },
    answerNew: (status) => {
      ofNew = status;
    },
  };
}

function read(text: string): Omit<Arrival, 'answered'> | undefined {
  const { event, data } = toRecord(parseJson(text));
  const { id } = toRecord(data);
  const [, status] = /^payment\.(.+)$/.exec(typeof event === 'string' ? event : '') ?? [];
  // What is genuine and no event is nothing that the experiments ask about.
  return typeof id === 'string' && status !== undefined ? { id, status, text } : undefined;
}
