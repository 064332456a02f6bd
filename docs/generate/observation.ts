// The facts of requests and responses of the sandbox, and their differences.

/** One request to the sandbox or to the endpoint, and its facts: status, headers and body fields. */
export interface Observation {
  /** The operation, or `webhook`. */
  readonly operation: string;
  readonly title: string;
  readonly facts: ReadonlyMap<string, string>;
}

/** The operation of the observations of webhooks. */
export const WEBHOOK = 'webhook';

/** A difference between two observations of the same request. */
export interface Difference {
  readonly operation: string;
  readonly title: string;
  readonly fact: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Headers that differ between responses. */
const ignored = new Set(['x-request-id', 'content-length']);

/** Returns the facts of a response. */
export async function readFacts(response: Response): Promise<Map<string, string>> {
  const names = [...response.headers].filter(([name]) => !ignored.has(name));
  return new Map([
    ['status', String(response.status)],
    ...names.map(([name, value]): [string, string] => [`header ${name}`, value]),
    ...readBody(await response.text()),
  ]);
}

/** Returns the fields of a body by path, or its text if it is not JSON. */
export function readBody(text: string): Map<string, string> {
  try {
    return new Map(flatten(JSON.parse(text), ''));
  } catch {
    return new Map([['body', text.replaceAll(/\s+/g, ' ').trim()]]);
  }
}

function flatten(value: unknown, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value)]];
  const entries = Object.entries(value);
  if (entries.length === 0) return [[path, JSON.stringify(value)]];
  return entries.flatMap(([name, each]) => flatten(each, path === '' ? name : `${path}.${name}`));
}

/** Returns the facts that differ between two runs of the scenarios. */
export function compare(before: readonly Observation[], after: readonly Observation[]): Difference[] {
  return before.flatMap(({ operation, title, facts }, index) => {
    const other = after[index]?.facts ?? new Map<string, string>();
    const names = new Set([...facts.keys(), ...other.keys()]);
    return [...names]
      .filter((fact) => facts.get(fact) !== other.get(fact))
      .map((fact) => ({ operation, title, fact, before: facts.get(fact), after: other.get(fact) }));
  });
}
