import { headerText, isRefusedHeader } from '@service/internal';
import type { KnownValues } from './known.ts';
import { learnTemplate } from './learn.ts';

/** A response, and the values that its headers may show. */
export interface HeaderSample {
  readonly response: { readonly headers: Headers };
  readonly known: KnownValues;
}

/** Headers of the machine, of another setting, of the request, or that every response has. */
const ignored = /^(?:date|vary|etag|retry-after|idempotency-key)$/;

/** Headers by name; null for those that a response does not have. */
export type LearnedHeaders = Readonly<Record<string, string | null>>;

/** The headers that the mock sends with each response. */
export const mockHeaders: LearnedHeaders = {
  'cache-control': 'no-store',
  'content-type': 'application/json',
  'x-request-id': '{request_id}',
};

/**
 * Learns the headers that all samples have and that are not as `usual`. Null is for those of `usual` that all of them lack. Adds
 * the names of those without an explanation, which are left out, to `unexplained`.
 */
export function learnHeaders(
  samples: readonly HeaderSample[],
  usual: LearnedHeaders,
  unexplained: Set<string> = new Set(),
): LearnedHeaders {
  const shared = [...(samples[0]?.response.headers.keys() ?? [])].filter(
    (name) =>
      (!ignored.test(name) || name in usual) &&
      !isRefusedHeader(name, false) &&
      // The links of pages are another setting.
      (name !== 'link' ||
        new Set(samples.map(({ response: { headers } }) => headers.get(name))).size === 1) &&
      // A mock sends no other text.
      samples.every(({ response: { headers } }) => headerText.test(headers.get(name) ?? 'é')),
  );
  const entries = shared.flatMap((name): [string, string][] => {
    const text = learnCounter(name, samples) ?? learnText(name, samples);
    const other = usual[name];
    // Few responses can have the same value although it is a new one in each.
    const isUsual = text === other || (other?.includes('{') === true && !text?.includes('{'));
    if (text === undefined && !isUsual) unexplained.add(name);
    return text === undefined || isUsual ? [] : [[name, text]];
  });
  const missing = Object.keys(usual).filter(
    (name) => usual[name] !== null && samples.every(({ response: { headers } }) => !headers.has(name)),
  );
  return {
    ...Object.fromEntries(entries),
    ...(samples.length > 0 && Object.fromEntries(missing.map((name) => [name, null]))),
  };
}

/** Learns the requests that a rate limit leaves and the rest of its window, by the names in the header. */
function learnCounter(name: string, samples: readonly HeaderSample[]): string | undefined {
  if (!/rate-?limit/.test(name)) return undefined;
  const texts = new Set(
    samples.map(({ response: { headers } }) =>
      (headers.get(name) ?? '')
        .replaceAll('{', '{{')
        .replace(/(\b(?:remaining|r)=)\d+/, '$1{remaining}')
        .replace(/(\b(?:reset|t)=)\d+/, '$1{reset}')
        .replace(/^\d+(?:\.\d+)?$/, (number) =>
          name.endsWith('remaining')
            ? '{remaining}'
            : !name.endsWith('reset')
              ? number
              : Number(number) > 1e9
                ? '{reset_at unix}'
                : '{reset}',
        ),
    ),
  );
  const [text] = texts;
  return texts.size === 1 && text?.includes('{') ? text : undefined;
}

/** Returns the template of a header. Undefined if its values differ without an explanation. */
function learnText(name: string, samples: readonly HeaderSample[]): string | undefined {
  const { template, unexplained } = learnTemplate(
    samples.map(({ response: { headers }, known }) => ({ json: headers.get(name), known })),
    { numbers: 'number', key: { name: 'request_id' } },
    name,
  );
  // Every value of a header is text.
  return typeof template === 'string' && unexplained.length === 0
    ? template.replace(/^\{(\w+) text\}$/, '{$1}')
    : undefined;
}
