// The form of `Retry-After`, as refused requests of the run show it.
import type { Call } from '../call.ts';
import { type Question, repeated } from '../question.ts';
import { quotes } from './responses.ts';

export const retryAfter: Question = repeated<Call>({
  setting: 'retryAfter',
  ask: quotes,
  request: 'requests until two are refused with 429',
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
