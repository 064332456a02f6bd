import { headerText, isRefusedHeader } from '@service/internal';
import type { KnownValues } from './known.ts';
import { learnTemplate } from './learn.ts';
import { type HeaderReading, learnLimits } from './limits.ts';

/** The headers of a response, and the values that they may show. */
export interface HeaderSample {
  readonly headers: Headers;
  readonly known: KnownValues;
}

/** Headers of the machine, of another setting, or that every response has. */
const ignored = /^(?:date|vary|etag|retry-after|deprecation|sunset|link)$/;

/** The headers that the mock sends by itself, and their value; null for a value that always differs. */
const ownHeaders: Readonly<Record<string, string | null>> = {
  'cache-control': 'no-store',
  'content-type': 'application/json',
  'x-request-id': null,
};

/**
 * Learns the headers that all samples have and the mock does not send. Null is for those that the mock must leave out.
 * The samples are in the order of their requests. `limits` are the headers with numbers that change with each request.
 */
export function learnHeaders(
  samples: readonly HeaderSample[],
  limits: ReadonlyMap<string, string> = learnLimits(samples.map(toReading)),
): Record<string, string | null> {
  const [first] = samples;
  if (first === undefined) return {};
  const shared = [...first.headers.keys()].filter(
    (name) =>
      !ignored.test(name) &&
      !isRefusedHeader(name, false) &&
      // A mock sends no other text.
      samples.every(({ headers }) => headerText.test(headers.get(name) ?? 'é')),
  );
  const entries = shared.flatMap((name): [string, string][] => {
    const learned = learnText(name, samples);
    // Ids can be numbers that change, too.
    const isKnown = samples.some(({ known }) =>
      Object.keys(known).some((value) => learned?.includes(`{${value}`)),
    );
    const text = isKnown ? learned : (limits.get(name) ?? learned);
    // The mock writes a new id in its form.
    const isNew = ownHeaders[name] === null && (text === '{request_id}' || !text?.includes('{'));
    return text === undefined || isNew || text === ownHeaders[name] ? [] : [[name, text]];
  });
  const missing = Object.keys(ownHeaders).filter((name) =>
    samples.every(({ headers }) => !headers.has(name)),
  );
  return { ...Object.fromEntries(entries), ...Object.fromEntries(missing.map((name) => [name, null])) };
}

/** Without a clock of the caller, the times are those of the service. */
function toReading({ headers }: HeaderSample): HeaderReading {
  const date = Date.parse(headers.get('date') ?? '');
  return { headers, at: Number.isNaN(date) ? 0 : date };
}

function learnText(name: string, samples: readonly HeaderSample[]): string | undefined {
  const { template } = learnTemplate(
    samples.map(({ headers, known }) => ({ json: headers.get(name), known })),
    { numbers: 'number', key: { name: 'request_id' } },
    name,
  );
  // Every value of a header is text.
  return typeof template === 'string' ? template.replace(/^\{(\w+) text\}$/, '{$1}') : undefined;
}
