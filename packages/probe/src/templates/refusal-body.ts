import { isRecord, type Refusal, type Template, toRecord } from '@service/internal';
import { learnTemplate } from './learn.ts';
import type { Sample } from './sample.ts';
import { responseKey } from './values.ts';

/** Learns the body of the responses of one refusal. */
export function learnBody(samples: readonly Sample[]): Template {
  return learnTemplate(samples, { numbers: 'number', key: responseKey }).template;
}

/** Returns whether the caller of a refused request is unknown. */
export function isUnauthenticated(refusal: Refusal): boolean {
  return refusal === 'authentication' || refusal === 'missing_key';
}

/** Adds the mode to the body for an unknown caller, which has none. */
export function withMode(refusal: Refusal, body: Template): Template {
  if (!isUnauthenticated(refusal) || !isRecord(body) || 'mode' in body) return body;
  const { success = false, ...others } = body as Readonly<Record<string, Template>>;
  return { success, mode: '{mode}', ...others };
}

const sortFields = (json: unknown): string =>
  JSON.stringify(Object.entries(toRecord(json)).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** Returns whether two bodies are equal, in any order of their fields. */
export const isSameBody = (one: Template, other: Template): boolean => sortFields(one) === sortFields(other);

/** Returns whether a body is that of most errors. */
export function isUsual(body: Template, refusal: Refusal, usual: unknown): boolean {
  const whole = withMode(refusal, body);
  return isRecord(usual) ? sortFields(whole) === sortFields(usual.body) : isDocumentedBody(whole);
}

/** Returns whether a body is as documented. */
export function isDocumentedBody(body: Template): boolean {
  const { mode, ...rest } = toRecord(body);
  const wanted = { success: false, error: { type: '{type}', message: '{message}' } };
  return mode === '{mode}' && JSON.stringify(rest) === JSON.stringify(wanted);
}
