import type { Clock } from '../clock.ts';
import type { Fields } from '../json.ts';
import type { Inbox } from './inbox.ts';
import { Inconclusive, type Finding, type Setting } from './finding.ts';
import { type Ask, describe, type Question, type Sighting } from './wire.ts';

/** Says what the experiments pay and quote with. */
export type Plan = {
  readonly from: string;
  readonly to: string;
  /** Decimal text, sent as a number. */
  readonly amount: string;
  readonly name: string;
  /** Gives the account number with which a payment fails in this sandbox. */
  readonly failing: string;
  /** Gives the account number with which a payment completes and fails after that. */
  readonly returning: string;
  /** Names a payment of somebody else's account. */
  readonly foreign: string | undefined;
  /** Says how many requests may be sent to meet the rate limit; 0 does not look for it. */
  readonly burst: number;
  /** Limits the watching of each payment, in milliseconds. */
  readonly patience: number;
  /** Limits each wait for a webhook, in milliseconds. */
  readonly webhookPatience: number;
};

/** Holds what the experiments work with. */
export type Bench = {
  readonly plan: Plan;
  readonly ask: Ask;
  /** Asks once, and takes 429 for an answer. */
  readonly askOnce: Ask;
  readonly key: string;
  /** Receives the webhooks of the account; undefined when they go elsewhere. */
  readonly inbox: Inbox | undefined;
  /** Waits some milliseconds; rejects once the run is interrupted. */
  readonly sleep: Clock['sleep'];
  readonly signal: AbortSignal;
  readonly now: Clock['now'];
  /** Called with the milliseconds for which reads did not show a new payment. */
  readonly onReadLag: (milliseconds: number) => void;
};

/** Is one look at the service that tells some settings. */
export type Experiment = {
  readonly settings: readonly Setting[];
  /** Says that it creates test payments. */
  readonly pays?: true;
  readonly look: (bench: Bench) => Promise<readonly Finding[]>;
};

/** Asks for a quote; `changes` take the place of fields of the plan. */
export function quote({ ask, plan }: Bench, changes: object = {}): Promise<Sighting> {
  const { from: from_currency, to: to_currency, amount } = plan;
  return ask('/quotes', { body: { from_currency, to_currency, amount: Number(amount), ...changes } });
}

/** Asks for a quote that the service must give. Throws Inconclusive when it does not. */
export async function quoteWell(bench: Bench, changes: object = {}): Promise<Fields> {
  return demand(await quote(bench, changes), 'a quote');
}

/** Creates a test payment of the plan. */
export function pay({ ask, plan }: Bench, changes: object = {}, question: Question = {}): Promise<Sighting> {
  const { from: from_currency, to: to_currency, amount, name: beneficiary_name } = plan;
  const body = { from_currency, to_currency, amount: Number(amount), beneficiary_name, ...changes };
  return ask('/payments', { ...question, body });
}

/** Returns the data of an answer that must be one of success. Throws Inconclusive when it is not. */
export function demand(sighting: Sighting, what: string): Fields {
  if (sighting.accepted) return sighting.data;
  const answer = describe(sighting);
  const isPoor = answer === '422 insufficient_funds';
  const advice = isPoor ? '; put money into the wallet of --from, or pay less with --amount' : '';
  throw new Inconclusive(`${what} was answered with ${answer}${advice}`);
}

/** Reads the id of a payment. Throws Inconclusive when it is none that could stand in a path. */
export function readId(id: unknown): string {
  if (typeof id === 'string' && /^[\w-]+$/.test(id)) return id;
  throw new Inconclusive('the payment has no id that could be looked up');
}
