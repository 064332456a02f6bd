// A question about a setting, and the finding that its observations allow.
import type { Call } from './call.ts';
import { describeCall } from './call.ts';
import type { Finding, ProfileSetting } from './finding.ts';
import { isFormAccepted } from './refused.ts';
import { isRefusal, type RawResponse } from './response.ts';
import type { Run } from './run.ts';
import type { Seen } from './seen.ts';
import { findUsual } from './usual.ts';

/** The name of a setting, or of one of its fields, such as `amounts.text`. */
export type QuestionName = ProfileSetting | `${ProfileSetting}.${string}`;

/** Requests that one or more questions need. A run makes them once. */
export interface Step {
  /** The subject for the progress of a run, such as `rounding`. */
  readonly subject: string;
  readonly needs?: 'payments' | 'webhooks';
  readonly send: (run: Run) => Promise<void>;
}

/** What the observations say: a value, something that no value of the setting describes, or nothing. */
export type Reading =
  | { readonly value: unknown; readonly evidence: string; readonly missing?: readonly string[] }
  | { readonly other: string }
  | { readonly unknown: string }
  /** The question makes no sense for this service, such as the status of a replay where keys are ignored. */
  | 'pointless';

/** The observations that were not used to read the value. */
export interface Proof {
  readonly agree: readonly string[];
  readonly against: readonly string[];
}

/** A question about a setting, or about a field of one. */
export interface Question {
  readonly setting: QuestionName;
  /** Sends the requests whose responses show the value. */
  readonly ask: Step;
  /** Reads the value from some observations. */
  readonly read: (seen: Seen) => Reading;
  /** Compares the value with the other observations. */
  readonly proves: (seen: Seen, value: unknown) => Proof;
  /** The observation that proves a value, for the case that there is none. */
  readonly second: string;
}

/** The result for a setting or one of its fields. */
export type Answer = WithoutSetting<Finding>;
type WithoutSetting<Result> = Result extends unknown ? Omit<Result, 'setting' | 'proven'> : never;

/** Decides a question. Undefined for a pointless one. `found` needs an observation that agrees without having made the value, and none against it. */
export function answer({ read, proves, second }: Question, seen: Seen): Answer | undefined {
  const reading = read(seen);
  if (reading === 'pointless') return undefined;
  if ('unknown' in reading) return { state: 'unknown', evidence: reading.unknown };
  if ('other' in reading) return { state: 'partly', missing: [reading.other], evidence: reading.other };
  const { value, missing = [] } = reading;
  const { agree, against } = proves(seen, value);
  const evidence = [reading.evidence, ...agree.slice(0, 1)].join('; ');
  const isAlone = agree.length === 0 && against.length === 0;
  const open = [...missing, ...against.slice(0, 3), ...(isAlone ? [second] : [])];
  if (open.length === 0) return { state: 'found', value, evidence };
  return { state: 'partly', value, missing: open, evidence };
}

/** The text of an observation. */
export const textOf = ({ text }: { readonly text: string }): string => text;

/** Sorts observations by whether they agree with a value, as evidence. */
export function sortOut<Item>(
  items: readonly Item[],
  isRight: (item: Item) => boolean,
  write: (item: Item) => string,
): Proof {
  const agree = items.filter((item) => isRight(item));
  return { agree: agree.map(write), against: items.filter((item) => !agree.includes(item)).map(write) };
}

/** Joins the answers about the fields of a setting: it is found if all of them are. */
export function join(
  setting: ProfileSetting,
  answers: readonly (readonly [name: QuestionName, answer: Answer])[],
): Finding {
  const [only] = answers;
  if (only?.[0] === setting) return { setting, ...only[1] };
  const named = answers.map(([name, one]) => [name.slice(setting.length + 1), one] as const);
  const values = named.flatMap(([field, one]) =>
    // A part can say nothing, such as a refusal that is as documented.
    'value' in one && JSON.stringify(one.value) !== '{}' ? [[field, one.value] as const] : [],
  );
  const evidence = named.map(([field, one]) => `${field}: ${one.evidence}`).join('; ');
  const missing = named.flatMap(([field, one]) => {
    const reasons = one.state === 'partly' ? one.missing : one.state === 'unknown' ? [one.evidence] : [];
    return reasons.map((reason) => `${field}: ${reason}`);
  });
  const value = Object.fromEntries(values);
  const proven = named.flatMap(([field, { state }]) => (state === 'found' ? [field] : []));
  if (missing.length === 0) return { setting, state: 'found', value, evidence, proven };
  if (named.every(([, { state }]) => state === 'unknown')) return { setting, state: 'unknown', evidence };
  return { setting, state: 'partly', missing, evidence, value, proven };
}

/** The value that one observation shows. Undefined if it shows none. */
interface Shown {
  /** Undefined for something that no value of the setting describes. */
  readonly value?: unknown;
  readonly text: string;
}

/** The description of a question each of whose observations shows the value. */
export interface Repeated<Item> {
  readonly setting: QuestionName;
  readonly ask: Step;
  /** The observations, in their order. */
  readonly list: (seen: Seen) => readonly Item[];
  readonly show: (item: Item, seen: Seen) => Shown | undefined;
  /** What an independent observation differs in. By default the text of the evidence. */
  readonly keyOf?: (item: Item, index: number) => unknown;
  /** What to send if there is no observation. */
  readonly request: string;
  readonly second?: string;
}

/** Creates a question that is read from the first observation of the usual value, and proven by one of another request. */
export function repeated<Item>(question: Repeated<Item>): Question {
  const { setting, ask, list, show, keyOf, request, second = `a second observation: ${request}` } = question;
  const collect = (seen: Seen) =>
    list(seen).flatMap((item, index) => {
      const shown = show(item, seen);
      return shown ? [{ ...shown, key: keyOf?.(item, index) ?? shown.text }] : [];
    });
  return {
    setting,
    ask,
    second,
    read: (seen) => {
      const usual = findUsual(collect(seen), ({ value }) => value);
      if (usual === undefined) return { unknown: `nothing shows it: send ${request}` };
      const { value, text } = usual;
      return value === undefined ? { other: text } : { value, evidence: text };
    },
    proves: (seen, value) => {
      const all = collect(seen);
      const wanted = JSON.stringify(value);
      const agrees = (one: Shown): boolean => JSON.stringify(one.value) === wanted;
      const first = all.find(agrees);
      const others = all.filter((one) => !agrees(one) || one.key !== first?.key);
      return sortOut(others, agrees, textOf);
    },
  };
}

/** Creates a question whose requests have its name as their label. `other` is a value that no profile has. */
export function choice(
  setting: QuestionName,
  ask: Step,
  request: string,
  readValue: (response: RawResponse, call: Call, seen: Seen) => unknown,
): Question {
  return repeated<Call>({
    setting,
    ask,
    request,
    list: (seen) => seen.of(setting).filter(({ response }) => response.status < 500),
    keyOf: ({ method, target, sent, raw, headers }) => JSON.stringify([method, target, sent, raw, headers]),
    show: (call, seen) => {
      const value = readValue(call.response, call, seen);
      if (value === undefined) return undefined;
      return { text: describeCall(call), value: value === 'other' ? undefined : value };
    },
  });
}

/** Creates a question about forms of requests, which are taken or refused. */
export const formChoice = (
  setting: QuestionName,
  ask: Step,
  request: string,
  taken: string,
  refused: string,
): Question =>
  choice(setting, ask, request, (response, call, seen) =>
    isFormAccepted(call, seen) ? taken : isRefusal(response) ? refused : 'other',
  );

/** Lets a question be proven only if payments were asked too. */
export const provenByPayments = (question: Question, label: string = question.setting): Question => ({
  ...question,
  second: 'the same of payments',
  proves: (seen, value) => {
    const { agree, against } = question.proves(seen, value);
    const isAsked = seen.of(label).some(({ operation }) => operation === 'createPayment');
    return { agree: isAsked ? agree : [], against };
  },
});
