import { errorTypes, type Mode, modes, type OperationId, operations } from '@service/contract';
import { type Fault, type FaultKind, faultKinds } from '../domain/fault.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { checkArguments } from './arguments.ts';
import type { AccountRef } from './locate.ts';

/** Says for which calls a fault is and when it fires. */
export interface FaultTerms {
  /** @default any operation */
  readonly operation?: OperationId;
  /** @default any account */
  readonly account?: AccountRef;
  /** @default either mode */
  readonly mode?: Mode;
  /**
   * How often it fires.
   *
   * @default 1; 'unlimited' with a probability
   */
  readonly times?: number | 'unlimited';
  /**
   * How many calls it lets through first.
   *
   * @default 0
   */
  readonly after?: number;
  /**
   * How likely it fires at a call, from 0 to 1; the mock's seed decides at which.
   *
   * @default 1
   */
  readonly probability?: number;
}

/** Sets up a fault: what goes wrong, for which calls and when. */
export type FaultOptions = Fault & FaultTerms;

/** Says what a field must be. */
interface Rule {
  readonly allows: (value: unknown) => boolean;
  readonly words: string;
  readonly isRequired?: boolean;
}

type Rules = Readonly<Record<string, Rule>>;

const MOST = 1_000_000;

const terms: Rules = {
  operation: oneOf(Object.keys(operations)),
  account: { allows: () => true, words: 'an account or its id' },
  mode: oneOf(modes),
  times: {
    allows: (value) => value === 'unlimited' || wholeNumber(1, MOST).allows(value),
    words: `${wholeNumber(1, MOST).words}, or 'unlimited'`,
  },
  after: wholeNumber(0, MOST),
  probability: {
    allows: (value) => typeof value === 'number' && value >= 0 && value <= 1,
    words: 'a number from 0 to 1',
  },
};

const commit: Rule = { allows: (value) => typeof value === 'boolean', words: 'true or false' };
const retryAfter = wholeNumber(0, MOST);
const anyStatus = wholeNumber(200, 599);
const statusOfPage: Rule = {
  allows: (value) => anyStatus.allows(value) && ![204, 205, 304].includes(Number(value)),
  words: `${anyStatus.words} that has a body`,
};

const fieldsByKind: Readonly<Record<FaultKind, Rules>> = {
  latency: { ms: { ...wholeNumber(0, 3_600_000), isRequired: true }, commit },
  status: {
    status: { ...wholeNumber(400, 599), isRequired: true },
    type: oneOf(errorTypes),
    retryAfter,
    commit,
  },
  rate_limit: { retryAfter, commit },
  html: { status: statusOfPage, commit },
  empty: { status: anyStatus, commit },
  wrong_content_type: { commit },
  truncated: { commit },
  stalled: { commit },
  reset_before_commit: {},
  reset_after_commit: {},
  garbage: { commit },
};

/** Reads what goes wrong and on which terms; throws `SandboxError` that names what is bad and says what is allowed. */
export function readFault(options: FaultOptions): { readonly fault: Fault; readonly terms: FaultTerms } {
  const kind = readKind(options);
  const own = fieldsByKind[kind];
  checkArguments(`faults.arm of ${kind}`, options, ['kind', ...Object.keys(own), ...Object.keys(terms)]);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const fields = new Map<string, unknown>(given);
  checkFields(kind, fields, { ...own, ...terms });
  const pick = (rules: Rules): object =>
    Object.fromEntries(given.filter(([name]) => Object.hasOwn(rules, name)));
  return { fault: { kind, ...pick(own) } as Fault, terms: pick(terms) };
}

function readKind(options: FaultOptions): FaultKind {
  const kind: unknown = typeof options === 'object' && options !== null ? options.kind : undefined;
  const known = faultKinds.find((name) => name === kind);
  if (known !== undefined) return known;
  throw new SandboxError('invalid_argument', `faults.arm needs a kind: one of ${faultKinds.join(', ')}.`);
}

function checkFields(kind: FaultKind, fields: ReadonlyMap<string, unknown>, rules: Rules): void {
  const problems = Object.entries(rules).flatMap(([name, { allows, words, isRequired }]) => {
    if (!fields.has(name)) return isRequired ? [`${name} is required, ${words}`] : [];
    return allows(fields.get(name)) ? [] : [`${name} must be ${words}, not ${show(fields.get(name))}`];
  });
  if (problems.length === 0) return;
  throw new SandboxError('invalid_argument', `faults.arm of ${kind}: ${problems.join('; ')}.`);
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function oneOf(allowed: readonly string[]): Rule {
  return {
    allows: (value) => allowed.some((each) => each === value),
    words: `one of ${allowed.join(', ')}`,
  };
}

function wholeNumber(least: number, most: number): Rule {
  return {
    allows: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    words: `a whole number from ${least} to ${most}`,
  };
}
