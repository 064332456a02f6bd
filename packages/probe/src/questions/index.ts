// The table of all questions, and the order of their steps.
import { type Answer, answer, join, type Question, type QuestionName, type Step } from '../question.ts';
import { followPayments } from '../follow.ts';
import type { Finding, ProfileSetting } from '../finding.ts';
import type { Seen } from '../seen.ts';
import { access, accessQuestions, bodies } from './access.ts';
import { listQuestions, pages } from './list.ts';
import { fees, moneyQuestions, rounding } from './money.ts';
import { paymentQuestions } from './payments.ts';
import { refusalQuestions } from './refusals.ts';
import { currencyQuotes, forms, keys, limits, requestQuestions, texts, walletQuotes } from './requests.ts';
import { quotes, responseQuestions } from './responses.ts';
import { awaitWebhooks, deliveryFaults, events, retrySchedule } from './webhooks.ts';

/** All questions. */
export const questions: readonly Question[] = [
  ...responseQuestions,
  ...accessQuestions,
  ...moneyQuestions,
  ...requestQuestions,
  ...paymentQuestions,
  ...listQuestions,
  events,
  deliveryFaults,
  retrySchedule,
  ...refusalQuestions,
];

/** The steps in their order: on a slow service the time of a run goes to payments before it goes to rare refusals. */
export const steps: readonly Step[] = [
  quotes,
  followPayments,
  forms,
  bodies,
  access,
  pages,
  keys,
  walletQuotes,
  fees,
  rounding,
  texts,
  limits,
  currencyQuotes,
  awaitWebhooks,
];

/** The settings without a question, because no run shows them, or no application depends on them. */
const unasked: readonly ProfileSetting[] = ['headers', 'rateLimit', 'retryAfter', 'ack'];

/** The names of the settings. */
const settings: readonly ProfileSetting[] = [
  ...new Set([...questions.map(({ setting }) => setting.split('.')[0] as ProfileSetting), ...unasked]),
];

/** Answers all questions with what was seen. Each setting has one finding. `cut`: the steps that the run had no time for. */
export function findAll(seen: Seen, cut: ReadonlySet<Step> = new Set()): Finding[] {
  const isAnswered = seen.calls.some(({ response }) => response.accepted);
  return settings.map((setting): Finding => {
    if (!isAnswered) return { setting, state: 'unknown', evidence: 'the service accepted no request' };
    const own = questions.filter((one) => one.setting === setting || one.setting.startsWith(`${setting}.`));
    const answers = own.flatMap((one) => {
      const given = answer(one, seen);
      if (given === undefined) return [];
      // What the rest of the step would have shown can contradict.
      const missing = [`the run ended before it had sent ${one.ask.subject}`];
      const isOpen = cut.has(one.ask) && given.state === 'found';
      return [
        [one.setting, isOpen ? { ...given, state: 'partly', missing } : given] as [QuestionName, Answer],
      ];
    });
    return answers.length === 0
      ? { setting, state: 'unknown', evidence: 'nothing shows it: write it into the profile by hand' }
      : join(setting, answers);
  });
}
