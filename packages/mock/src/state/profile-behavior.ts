import {
  type AmountCondition,
  isRecord,
  type ProfileRateLimit,
  type DeliveryFaults,
  type DurationRange,
  type ExtraStatus,
  outcomes,
  type OutcomeRule,
  type ReadLag,
  type StatusDurations,
  type TextCondition,
} from '@service/internal';
import {
  boolean,
  choiceOf,
  convert,
  durationWithin,
  type Fields,
  listOf,
  nameOr,
  number,
  oneOf,
  parseAs,
  PLACE,
  refine,
  registeredJson,
  type Schema,
  text,
  whole,
} from '../domain/schema.ts';

const statusDuration = durationWithin(0, 3650 * 86_400_000, "a duration of at most '3650d', such as '3s'");
const durationJson = registeredJson(statusDuration);

/** A duration, or the shortest and the longest one. */
const durationRange: Schema<DurationRange> = convert(
  "a duration of at most '3650d', such as '3s', or the shortest and the longest one, such as ['2s', '5s']",
  (value) => (isRange(value) ? value : parseAs(statusDuration, value)),
  {
    anyOf: [durationJson, { type: 'array', items: durationJson, minItems: 2, maxItems: 2 }],
    examples: [['2s', '5s']],
  },
);

function isRange(value: unknown): value is DurationRange {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [shortest = -1, longest = -1] = value.map((each) => parseAs(statusDuration, each));
  return shortest >= 0 && shortest <= longest;
}

const amount = text("an amount as decimal text with at most 2 decimals, such as '3000.00'", {
  pattern: '^\\d{1,13}(\\.\\d{1,2})?$',
});

const textCondition = choiceOf<TextCondition>({ equals: text(), prefix: text(), suffix: text() });
const amountCondition = choiceOf<AmountCondition>({
  equals: amount,
  from: amount,
  to: amount,
  suffix: text("the end of an amount with two decimals, such as '.13'", { pattern: '^[\\d.]+$' }),
});

const outcome = oneOf(outcomes);
const conditions = { account: textCondition, name: textCondition, amount: amountCondition };

const outcomeRule = choiceOf<OutcomeRule>(conditions, { outcome });

const documented = ['pending', 'processing', 'completed', 'failed'];
const statusText = text("a name such as 'in_review' that the document does not have", {
  pattern: '^[A-Za-z][\\w-]{0,39}$',
  not: { pattern: `^(?:${documented.join('|')})$` },
});
const extraStatus = choiceOf<ExtraStatus>(
  { ...conditions, duration: durationRange, webhook: boolean },
  { status: statusText, after: oneOf(['pending', 'processing']) },
);

/** A list in which each status has one place. */
const extraStatusList: Schema<readonly ExtraStatus[]> = refine(
  listOf(extraStatus, "a list of statuses such as { status: 'in_review', after: 'pending' }"),
  (value) => {
    const repeated = findRepeated(value);
    return repeated === undefined ? undefined : `${PLACE} has the status ${JSON.stringify(repeated)} twice`;
  },
);

/** Returns a status that is in a list twice. */
function findRepeated(value: unknown): unknown {
  const names = Array.isArray(value) ? value.map((each: unknown) => isRecord(each) && each.status) : [];
  return names.find((name, index) => names.indexOf(name) < index);
}

/** A delay or a time window. */
const delay = durationWithin(1, 365 * 86_400_000, "a duration from '1ms' to '365d'");
const probability = number('a probability from 0 to 1', { maximum: 1 });

/** The schemas of the settings for behavior. */
export const behaviorFields: Fields = {
  durations: choiceOf<StatusDurations>({
    pending: durationRange,
    processing: durationRange,
    under_review: durationRange,
    completed: durationRange,
  }),
  outcomes: listOf(outcomeRule, 'a list of rules such as { account: { suffix: "0000" }, outcome: "fail" }'),
  extraStatuses: extraStatusList,
  retrySchedule: nameOr(['default', 'none'], listOf(delay, "a list of delays such as ['5s', '1m']")),
  rateLimit: nameOr(
    ['none'],
    choiceOf<ProfileRateLimit>({ method: oneOf(['GET', 'POST']) }, { requests: whole(0), window: delay }),
  ),
  readLag: choiceOf<ReadLag>({
    payments: statusDuration,
    balance: statusDuration,
    transactions: statusDuration,
  }),
  latency: durationRange,
  deliveryFaults: nameOr(
    ['none'],
    choiceOf<DeliveryFaults>({ duplicates: probability, reorder: probability, delay: durationRange }),
  ),
};
