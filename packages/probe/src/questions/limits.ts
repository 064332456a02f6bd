// The form of `Retry-After`.
import type { Call } from '../call.ts';
import { type Question, repeated, type Step, unasked } from '../question.ts';

/** The most requests that are sent at once: more can exhaust the sockets of this machine. */
const AT_ONCE = 100;

/** Sends requests at once until one is refused. */
export const burst: Step = {
  subject: 'the rate limit',
  needs: 'burst',
  send: async ({ plan, seen, sendOnce }) => {
    for (let sent = 0; sent < plan.burst && seen().limited.length === 0; sent += AT_ONCE) {
      plan.signal.throwIfAborted();
      const count = Math.min(AT_ONCE, plan.burst - sent);
      await Promise.allSettled(
        Array.from({ length: count }, () => sendOnce('/balance', { label: 'rateLimit' })),
      );
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
