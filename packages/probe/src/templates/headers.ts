import type { KnownValues } from './known.ts';
import { learnTemplate } from './learn.ts';

/** The headers of a response, and the values that they may show. */
export interface HeaderSample {
  readonly headers: Headers;
  readonly known: KnownValues;
}

/** Headers of the connection, of another setting, or that every response has. */
const ignored =
  /^(?:date|connection|keep-alive|transfer-encoding|content-length|content-encoding|vary|etag|x-request-id|access-control-.*|retry-after|deprecation|sunset|link)$/;

/** The headers that the mock sends by itself, and their value; null for a value that always differs. */
const ownHeaders: Readonly<Record<string, string | null>> = {
  'cache-control': 'no-store',
  'content-type': 'application/json',
  'x-request-id': null,
};

/**
 * Learns the headers that all samples have and the mock does not send. Null is for those that the mock must leave out.
 * The samples are in the order of their requests.
 */
export function learnHeaders(samples: readonly HeaderSample[]): Record<string, string | null> {
  const [first] = samples;
  if (first === undefined) return {};
  const shared = [...first.headers.keys()].filter(
    (name) => !ignored.test(name) && samples.every(({ headers }) => headers.has(name)),
  );
  const learned = shared.flatMap((name): [string, string][] => {
    const text = learnLimit(name, samples) ?? learnText(name, samples);
    return text !== undefined && text !== ownHeaders[name] ? [[name, text]] : [];
  });
  const missing = Object.keys(ownHeaders).filter((name) =>
    samples.every(({ headers }) => !headers.has(name)),
  );
  return { ...Object.fromEntries(learned), ...Object.fromEntries(missing.map((name) => [name, null])) };
}

function learnText(name: string, samples: readonly HeaderSample[]): string | undefined {
  const { template } = learnTemplate(
    samples.map(({ headers, known }) => ({ json: headers.get(name), known })),
    { numbers: 'number' },
    name,
  );
  // Every value of a header is text.
  return typeof template === 'string' ? template.replace(/^\{(\w+) text\}$/, '{$1}') : undefined;
}

const MAX_WINDOW = 86_400;

/**
 * Learns the number in a header about a rate limit that changes: the rest of the window as seconds or a time, or the
 * number of requests that are left, which decreases from one request to the next one. Undefined for a constant one.
 */
function learnLimit(name: string, samples: readonly HeaderSample[]): string | undefined {
  const texts = samples.map(({ headers }) => headers.get(name) ?? '');
  if (!/rate-?limit/.test(name) || new Set(texts).size === 1) return undefined;
  if (!texts.every((text) => /^\d+$/.test(text))) return undefined;
  const numbers = texts.map(Number);
  const dates = samples.map(({ headers }) => Date.parse(headers.get('date') ?? '') / 1_000);
  const isTime = numbers.every((value, index) => Math.abs(value - (dates[index] ?? Number.NaN)) < MAX_WINDOW);
  if (isTime) return '{reset_at unix}';
  const hasDecreased = numbers.some((value, index) => index > 0 && value === (numbers[index - 1] ?? 0) - 1);
  if (/remaining|left|available/.test(name)) return '{remaining}';
  if (/reset|retry|window|after/.test(name)) return '{reset}';
  return hasDecreased ? '{remaining}' : undefined;
}
