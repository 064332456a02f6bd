// The form of `Retry-After`.
import type { Call } from '../call.ts';
import { OutOfTime } from '../finding.ts';
import { type Question, repeated, type Step, unasked } from '../question.ts';

/** The most requests that are sent at once: more can exhaust the sockets of this machine. */
const AT_ONCE = 100;

/** Sends requests at once until one is refused. */
export const burst: Step = {
  subject: 'the rate limit',
  needs: 'burst',
  send: async ({ plan, seen, sendOnce }) => {
    const before = seen().limited.length;
    for (let sent = 0; sent < plan.burst && seen().limited.length === before; sent += AT_ONCE) {
      plan.signal.throwIfAborted();
      const count = Math.min(AT_ONCE, plan.burst - sent);
      const settled = await Promise.allSettled(
        Array.from({ length: count }, () => sendOnce('/balance', { label: 'rateLimit' })),
      );
      const late = settled.find((one) => one.status === 'rejected' && one.reason instanceof OutOfTime);
      if (late?.status === 'rejected') throw late.reason;
    }
  },
};

const retryAfter = repeated<Call>({
  setting: 'retryAfter',
  ask: burst,
  request: 'requests until two are refused with 429: pass `burst: N`, or raise it',
  second: 'a second response with 429',
  list: ({ limited }) => limited,
  keyOf: (_, index) => index,
  show: ({ response }) => {
    const text = response.headers.get('retry-after');
    if (text === null) return { text: 'no Retry-After' };
    const value = /^\d+$/.test(text) ? 'seconds' : Number.isNaN(Date.parse(text)) ? undefined : 'date';
    return { text: `Retry-After: ${text}`, ...(value !== undefined && { value }) };
  },
});

export const limitQuestions: readonly Question[] = [unasked('rateLimit', burst), retryAfter];
