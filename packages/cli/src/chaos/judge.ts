import { toMicro } from '@service/internal';
import type { RequestView } from '@service/mock';
import { formatMoney } from '../terminal.ts';
import type { Effects, Order, Records, ScenarioRun } from './run.ts';
import type { Scenario } from './scenario.ts';
import type { LedgerPayment } from './service.ts';

/** The verdicts from the best to the worst. `person`: safe, but a person must decide. `unjudged`: nothing shows whether the application is right. */
export const verdicts = ['passed', 'unjudged', 'person', 'failed'] as const;
export type Verdict = (typeof verdicts)[number];

/** The causes of failures, and what to change. */
export const causes = {
  'lost-response':
    'Never repeat a create without a readable response: search for its payment, or ask a person.',
  'second-trigger':
    'A repeated trigger pays again: claim the reference under a unique key in a store, before the create.',
  'at-once':
    'Two triggers at the same time both pay: let a unique key in a store of all instances decide, not a lock in memory.',
  restart: 'A restart forgets what was paid: store the reference on disk before the create.',
  'changed-amount':
    'A reference with another amount is no new payment: compare it with the stored one, and refuse it.',
  'wrong-money':
    'Send the amount, currency and beneficiary of the trigger: as decimal text, never as a rounded or scaled number.',
  'never-paid': 'Pay again after the service has refused the create with its error envelope, such as a 429.',
  'lost-job': 'Store the job before the trigger is accepted, and continue with stored jobs after a start.',
  route: 'Nothing receives webhooks at this path: pass that of the route as --webhooks.',
  signature: 'Compute HMAC-SHA256 over the raw bytes of the body, before a framework parses them.',
  forged: 'Compare the whole signature with HMAC-SHA256 of the raw bytes, and answer 401 to any other one.',
  'genuine-event': 'Answer 200 to each event with a valid signature, also an early, late or unknown one.',
  'repeated-effect': 'Store each event under a unique key in the transaction of its effect.',
  'lost-effect':
    'Acknowledge an event after its effect is stored: it is not sent again. Without webhooks, read the payment until its status is final.',
  'wrong-effect':
    'Take the status of a payment from its webhook or from a read: an accepted payment can fail.',
  ended: 'Catch the error that has ended it: the page of --report has its last output.',
} as const;
export type Cause = keyof typeof causes;

/** A verdict and its reason in one sentence. */
export interface Judgment {
  readonly verdict: Verdict;
  readonly sentence: string;
  /** The cause of a failure. */
  readonly cause?: Cause;
  /** Whether the run proves nothing: its creates cannot be told apart, or its effects cannot be counted. */
  readonly isUnclear?: boolean;
  /** Whether a late payment or effect can change it. */
  readonly isOpen?: boolean;
}

/** The records of an order, and the count of `--handled`. */
export interface Evidence extends Records {
  readonly effects: Effects;
}

/** The judgment of a run without a finding. */
export const passed: Judgment = { verdict: 'passed', sentence: '' };
const fail = (cause: Cause, sentence: string): Judgment => ({ verdict: 'failed', cause, sentence });

/** Returns how often the completion can take effect. A completed payment that was returned may still count. */
export function listExpected({ isReturned }: Scenario, { payments }: Records): readonly number[] {
  if (payments.some(({ status }) => status === 'completed')) return [1];
  return isReturned === true && payments.length > 0 ? [0, 1] : [0];
}

/** Judges a scenario by the ledger, the delivery log and the effects. The worst finding decides. */
export function judge(run: ScenarioRun, evidence: readonly Evidence[]): Judgment {
  const findings = [
    ...evidence.map((each) => judgeMoney(each, run)),
    run.isAlive ? undefined : fail('ended', 'the application ended, or accepts no connections any more'),
    judgeWebhooks(run),
    ...evidence.map((each) => judgeEffects(each, run)),
    ...evidence.map((each) => judgePaid(each, run)),
  ].filter((each) => each !== undefined);
  return findings.reduce(
    (worst, each) => (verdicts.indexOf(each.verdict) > verdicts.indexOf(worst.verdict) ? each : worst),
    passed,
  );
}

/** Judges the number, amounts, currencies and beneficiaries of the payments. A field without a placeholder is not judged. */
function judgeMoney({ order, creates, payments }: Records, run: ScenarioRun): Judgment | undefined {
  const paid = payments.filter(({ status }) => status !== 'failed');
  if (paid.length > 1) {
    const sums = paid.map(({ send_amount, from_currency }) => formatMoney(send_amount, from_currency));
    const cause = findCause(creates, new Set(paid.map(({ id }) => id)), run);
    const times = toTimes(paid.length);
    return fail(cause, `paid ${times}: ${sums.join(' + ')} left the wallet for ${order.reference}`);
  }
  const { trigger } = run.context;
  const wrong = payments.flatMap((payment) => findWrong(order, payment, trigger ?? '') ?? []);
  if (wrong.length === 0) return undefined;
  return fail(run.scenario.cause ?? 'wrong-money', `${wrong[0]} for ${order.reference}`);
}

function findWrong(order: Order, payment: LedgerPayment, trigger: string): string | undefined {
  const { send_amount, from_currency, beneficiary } = payment;
  const isAsked = (name: string): boolean => trigger.includes(`{${name}}`);
  const isAmount = toMicro(send_amount) === toMicro(order.amount);
  const isCurrency = from_currency === order.currency;
  if ((isAsked('amount') && !isAmount) || (isAsked('currency') && !isCurrency)) {
    const wanted = formatMoney(order.amount, isAsked('currency') ? order.currency : from_currency);
    return `paid ${formatMoney(send_amount, from_currency)} instead of ${wanted}`;
  }
  if (isAsked('beneficiary') && beneficiary !== order.beneficiary)
    return `paid ${JSON.stringify(beneficiary)} instead of ${JSON.stringify(order.beneficiary)}`;
  return undefined;
}

/** Returns why a reference was paid again: by what happened between the creates of two payments. */
function findCause(creates: readonly RequestView[], paid: ReadonlySet<string>, run: ScenarioRun): Cause {
  const { cause = 'second-trigger' } = run.scenario;
  const paying = creates.filter(({ effects }) => paid.has(effects.payment_id ?? ''));
  const found = paying.slice(1).map((later, index): Cause => {
    const earlier = paying[index] as RequestView;
    const [from, until] = [run.toRunTime(earlier.at), run.toRunTime(later.at)];
    if (run.notes.some(({ at, text }) => text.startsWith('SIG') && at >= from && at <= until))
      return 'restart';
    if (run.isUnreadable(earlier)) return 'lost-response';
    // Both were slow, so that the second one was sent before the first one had a response.
    return earlier.fault !== null && later.fault !== null ? 'at-once' : cause;
  });
  // A create that is repeated although its payment is known decides: it pays again in any case.
  return found.find((each) => each === cause) ?? found[0] ?? cause;
}

/** Judges the responses to genuine and forged events. */
function judgeWebhooks(run: ScenarioRun): Judgment | undefined {
  const { scenario, attempts } = run;
  const accepted = attempts.find(({ forgery, status = 0 }) => forgery && status >= 200 && status < 300);
  if (accepted) return fail(scenario.cause ?? 'forged', `accepted a forged event with ${accepted.forgery}`);
  const refused = attempts.findLast(({ forgery, id }) => forgery === undefined && !run.isAcknowledged(id));
  if (refused === undefined) return undefined;
  const { event, status } = refused;
  return fail(
    toRefusalCause(status, scenario),
    `never acknowledged the genuine event ${event}; the last response: ${status ?? 'none'}`,
  );
}

function toRefusalCause(status: number | undefined, { isUnusual }: Scenario): Cause {
  if (isUnusual === true || status === undefined) return 'genuine-event';
  if (status === 404 || status === 405) return 'route';
  return [400, 401, 403].includes(status) ? 'signature' : 'genuine-event';
}

function judgeEffects(evidence: Evidence, run: ScenarioRun): Judgment | undefined {
  const { scenario } = run;
  const { order, payments, effects: count } = evidence;
  if (typeof count === 'string')
    return { verdict: 'unjudged', sentence: `not judged: ${count}`, isUnclear: true, isOpen: true };
  if (count === undefined)
    return scenario.isJudgedByHandled === true
      ? { verdict: 'unjudged', sentence: 'not judged: needs --handled' }
      : undefined;
  const expected = listExpected(scenario, evidence);
  if (expected.includes(count)) return undefined;
  const sentence = `the completion of ${order.reference} took effect ${toTimes(count)} instead of ${toTimes(expected[0] ?? 0)}`;
  if (count > 1) return fail('repeated-effect', sentence);
  if (count === 1) return fail('wrong-effect', sentence);
  if (scenario.isNeverDelivered === true || isOutcomeUnknown(evidence, run)) {
    const [id] = payments.flatMap((payment) => (payment.status === 'failed' ? [] : payment.id));
    const found = `${order.reference} was paid once (${id}), but the application does not record it`;
    return { verdict: 'person', sentence: `safe, needs a person: ${found}`, isOpen: true };
  }
  return { ...fail('lost-effect', sentence), isOpen: true };
}

/** Returns whether the application sent one create of the payment, and cannot know it from the response. */
function isOutcomeUnknown({ creates }: Records, run: ScenarioRun): boolean {
  const paying = creates.filter(({ effects }) => effects.payment_id !== null);
  return paying.length === 1 && paying.every((create) => run.isUnreadable(create));
}

/** Judges an order without a payment. */
function judgePaid(
  { order, payments, isAmbiguous }: Records,
  { scenario }: ScenarioRun,
): Judgment | undefined {
  if (isAmbiguous) {
    const sentence = `cannot tell which creates belong to ${order.reference}: none has it in its purpose or idempotency key, and the trigger has no {amount}`;
    return { verdict: 'unjudged', sentence, isUnclear: true };
  }
  const isPaid = payments.some(({ status }) => status !== 'failed');
  if (isPaid || (scenario.expects === 'refused' && payments.length > 0)) return undefined;
  if (scenario.expects === 'one') {
    return {
      ...fail(scenario.cause ?? 'never-paid', `never paid: ${order.reference} has no payment`),
      isOpen: true,
    };
  }
  const sentence = `safe, needs a person: ${order.reference} has no payment`;
  return { verdict: 'person', sentence, isOpen: true };
}

function toTimes(count: number): string {
  return ['0 times', 'once', 'twice'][count] ?? `${count} times`;
}
