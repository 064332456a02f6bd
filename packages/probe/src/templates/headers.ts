import type { KnownValues } from './known.ts';
import { learnTemplate } from './learn.ts';

/** The headers of a response, and the values that they may show. */
export interface HeaderSample {
  readonly headers: Headers;
  readonly known: KnownValues;
}

/** Headers of the connection, of another setting, or that every response has. */
const ignored =
  /^(?:date|connection|keep-alive|transfer-encoding|content-length|content-encoding|vary|etag|x-request-id|access-control-.*|(?:x-)?ratelimit.*|retry-after|deprecation|sunset|link)$/;

/** The headers that the mock sends by itself, and their value; null for a value that always differs. */
const ownHeaders: Readonly<Record<string, string | null>> = {
  'cache-control': 'no-store',
  'content-type': 'application/json',
  'x-request-id': null,
};

/** Learns the headers that all samples have and the mock does not send. Null is for those that the mock must leave out. */
export function learnHeaders(samples: readonly HeaderSample[]): Record<string, string | null> {
  const [first] = samples;
  if (first === undefined) return {};
  const shared = [...first.headers.keys()].filter(
    (name) => !ignored.test(name) && samples.every(({ headers }) => headers.has(name)),
  );
  const learned = shared.flatMap((name): [string, string][] => {
    const { template: text } = learnTemplate(
      samples.map(({ headers, known }) => ({ json: headers.get(name), known })),
      { numbers: 'number' },
    );
    return typeof text === 'string' && text !== ownHeaders[name] ? [[name, text]] : [];
  });
  const missing = Object.keys(ownHeaders).filter((name) =>
    samples.every(({ headers }) => !headers.has(name)),
  );
  return { ...Object.fromEntries(learned), ...Object.fromEntries(missing.map((name) => [name, null])) };
}
