import type { ProfileChoice } from '@service/mock';
import type { Cause } from './judge.ts';
import type { ScenarioRun } from './run.ts';

/**
 * How many payments of the reference must exist that have not failed. `one`: exactly one. `unknown`: at most one; none
 * needs a person. `refused`: at most one, because the service may have refused every create.
 */
type Expected = 'one' | 'unknown' | 'refused';

/**
 * Something that a scenario needs: a trigger, a trigger with certain placeholders, more than one instance, an application
 * that accepts a trigger before it pays, or `--kill`.
 */
type Need = 'trigger' | 'amount' | 'instances' | 'queue' | 'kill';

/** One scenario: a row of the table. */
export interface Scenario {
  readonly name: string;
  readonly kind: 'create' | 'webhook';
  /** The event or fault, in one sentence. */
  readonly happens: string;
  readonly expects: Expected;
  /** Whether only `--handled` can show that the application is right. */
  readonly isJudgedByHandled?: boolean;
  /** Whether it repeats the trigger, so that it runs with each behavior of idempotency keys. By default only one of creates. */
  readonly repeatsTrigger?: boolean;
  readonly needs?: readonly Need[];
  /** Whether its event is early, late or unknown. */
  readonly isUnusual?: boolean;
  /** Whether its events are never delivered. */
  readonly isNeverDelivered?: boolean;
  /** Whether the bank returns its payment after the completion. */
  readonly isReturned?: boolean;
  /** The cause of a failure that no record shows. */
  readonly cause?: Cause;
  readonly profile?: ProfileChoice;
  readonly act: (run: ScenarioRun) => Promise<unknown>;
}

export type Act = Scenario['act'];

type Rest = Omit<Scenario, 'name' | 'kind' | 'expects' | 'happens'>;

/** Returns a function that describes scenarios of a kind, each by its name, a sentence, and its act or the rest of its row. */
export function describe(
  kind: Scenario['kind'],
  expects: Expected,
  common: Partial<Scenario> = {},
): (name: string, happens: string, rest: Act | Rest) => Scenario {
  return (name, happens, rest) => {
    const row = typeof rest === 'function' ? { act: rest } : rest;
    return { name, kind, expects, happens, ...common, ...row };
  };
}

/** A delay that ends when its fault is removed. */
export const HELD = 3_600_000;
/** The balance of each wallet at the start of a scenario. */
export const RICH = '1000000';

/** Triggers before and after a step. */
export const again =
  (step: Act): Act =>
  async (run) => {
    await run.trigger();
    await step(run);
    await run.trigger();
  };
