import type { Clock } from '../clock.ts';
import { parseJson, toRecord } from '../json.ts';

/** A genuine delivery that told of a payment. */
export type Arrival = {
  /** Names the payment. */
  readonly id: string;
  /** Names the status that the event tells (spec §6); the payment may have another one by now. */
  readonly status: string;
  readonly text: string;
  /** Time of the delivery, in milliseconds. */
  readonly at: number;
  /** Holds the status of the answer. */
  readonly answered: number;
};

/** Keeps the webhooks that come, and answers them as it is told to. */
export type Inbox = {
  /** The deliveries in their order, without copies: a sender that delivers twice at once does not retry. */
  readonly arrivals: readonly Arrival[];
  /** Number of deliveries that were refused because they are not genuine. */
  readonly refused: number;
  /** Takes the raw body of a genuine delivery and returns the status to answer it with. */
  readonly take: (body: Uint8Array) => number;
  /** Counts a delivery that is not genuine. */
  readonly refuse: () => void;
  /** Answers the first delivery of each payment of which none has come yet with a status, until told otherwise; all else with 200. */
  readonly answerNew: (status: number) => void;
  /** Answers every further delivery of one event with the status of its first one; of none without an event. */
  readonly answerAgain: (event: Arrival | undefined) => void;
};

/** Milliseconds within which a second delivery of an event is a copy: retries wait longer. */
const COPY_WINDOW = 1_000;

/** Creates an inbox. */
export function createInbox(now: Clock['now']): Inbox {
  const arrivals: Arrival[] = [];
  let ofNew = 200;
  let repeated: Arrival | undefined;
  let refused = 0;
  return {
    arrivals,
    get refused() {
      return refused;
    },
    take: (body) => {
      const event = read(Buffer.from(body).toString('utf8'));
      if (event === undefined) return 200;
      const { id, status } = event;
      const isSame = (one: Arrival): boolean => one.id === id && one.status === status;
      const last = arrivals.findLast(isSame);
      const at = now();
      if (last !== undefined && at - last.at < COPY_WINDOW) return last.answered;
      const isNew = arrivals.every((one) => one.id !== id);
      const answered = repeated && isSame(repeated) ? repeated.answered : isNew ? ofNew : 200;
      arrivals.push({ ...event, at, answered });
      return answered;
    },
    refuse: () => {
      refused += 1;
    },
    answerNew: (status) => {
      ofNew = status;
    },
    answerAgain: (event) => {
      repeated = event;
    },
  };
}

/** Explains why an inbox received no webhook. */
export function explainSilence({ refused }: Inbox): string {
  if (refused === 0) return 'no webhook came; its address or secret may be another one';
  const count = refused === 1 ? '1 webhook was' : `${refused} webhooks were`;
  return `no genuine webhook came, and ${count} refused: is the signing secret that of the service?`;
}

function read(text: string): Pick<Arrival, 'id' | 'status' | 'text'> | undefined {
  const { event, data } = toRecord(parseJson(text));
  const { id } = toRecord(data);
  const [, status] = /^payment\.(.+)$/.exec(typeof event === 'string' ? event : '') ?? [];
  // What is genuine and no event is nothing that the experiments ask about.
  return typeof id === 'string' && status !== undefined ? { id, status, text } : undefined;
}
