import { toRecord } from '../json.ts';
import { type Finding, found, NoAnswer, other, unknown } from './finding.ts';
import { type Bench, demand, type Experiment } from './bench.ts';
import { describe, isRefusal, type Sighting, writeValue } from './wire.ts';

/** Looks at who is let in, and what those are told who are not (spec §5). */
export const access: readonly Experiment[] = [
  { settings: ['modeOn401'], look: lookAtStranger },
  { settings: ['bothKeys'], look: lookAtTwoKeys },
  { settings: ['foreignPayment'], look: lookAtForeignPayment },
  { settings: ['paths'], look: lookAtPaths },
  { settings: ['deprecation'], look: lookAtDeprecation },
];

/** Looks for the rate limit; last of all, since it uses it up. */
export const rateLimit: readonly Experiment[] = [{ settings: ['rateLimitHeaders'], look: lookAtRateLimit }];

function strangerKey(): string {
  return `service_test_${crypto.randomUUID()}`;
}

async function lookAtStranger({ ask }: Bench): Promise<Finding[]> {
  const sighting = await ask('/balance', { headers: { authorization: `Bearer ${strangerKey()}` } });
  if (sighting.status !== 401)
    return [other('modeOn401', `a wrong key was answered with ${describe(sighting)}`)];
  const body = toRecord(sighting.body);
  if (!('error' in body)) return [unknown('modeOn401', 'errors have no envelope that could hold a mode')];
  const evidence = `a wrong key: "mode": ${writeValue(body.mode)}`;
  if (body.mode === undefined) return [found('modeOn401', 'omit', evidence)];
  if (body.mode === null) return [found('modeOn401', 'null', evidence)];
  return [
    body.mode === 'test' || body.mode === 'live'
      ? found('modeOn401', 'guess', evidence)
      : other('modeOn401', evidence),
  ];
}

async function lookAtTwoKeys({ ask, key }: Bench): Promise<Finding[]> {
  const bearer = await ask('/balance', { headers: { 'x-api-key': strangerKey() } });
  const headers = { authorization: `Bearer ${strangerKey()}`, 'x-api-key': key };
  const named = await ask('/balance', { headers });
  const evidence = `right as Bearer only: ${bearer.status}, right as X-API-Key only: ${named.status}`;
  const verdicts = [bearer, named].map((one) =>
    one.accepted ? 'taken' : isRefusal(one) ? 'refused' : 'unclear',
  );
  const values = {
    'taken refused': 'bearer',
    'refused taken': 'apiKey',
    'refused refused': 'reject',
  } as const;
  const value = new Map(Object.entries(values)).get(verdicts.join(' '));
  return [value === undefined ? other('bothKeys', evidence) : found('bothKeys', value, evidence)];
}

async function lookAtForeignPayment({ ask, plan }: Bench): Promise<Finding[]> {
  const { foreign } = plan;
  if (foreign === undefined)
    return [unknown('foreignPayment', 'name a payment of another account with --foreign-payment')];
  const sighting = await ask(`/payments/${encodeURIComponent(foreign)}`);
  const evidence = `${foreign}: ${describe(sighting)}`;
  if (sighting.accepted)
    return [unknown('foreignPayment', `${foreign} was shown: it is of this account, or worse`)];
  if (sighting.status === 404) return [found('foreignPayment', 'not_found', evidence)];
  return [
    sighting.status === 403
      ? found('foreignPayment', 'permission_error', evidence)
      : other('foreignPayment', evidence),
  ];
}

async function lookAtPaths({ ask }: Bench): Promise<Finding[]> {
  const sighting = await ask('/balance/');
  const evidence = `GET /balance/: ${describe(sighting)}`;
  if (sighting.status >= 300 && sighting.status < 400) return [found('paths', 'redirect', evidence)];
  return [sighting.status === 404 ? found('paths', 'strict', evidence) : other('paths', evidence)];
}

async function lookAtDeprecation({ ask }: Bench): Promise<Finding[]> {
  const sighting = await ask('/balance');
  demand(sighting, 'GET /balance');
  const { headers } = sighting;
  const [since, until] = [headers.get('deprecation'), headers.get('sunset')];
  if (since === null && until === null)
    return [found('deprecation', 'none', 'no header Deprecation or Sunset')];
  const evidence = `Deprecation: ${since ?? 'absent'}, Sunset: ${until ?? 'absent'}`;
  const [deprecated, sunset] = [readUnixDate(since), readDate(until)];
  if (deprecated === undefined || sunset === undefined) return [other('deprecation', evidence)];
  const link = readLink(headers.get('link'));
  return [found('deprecation', { deprecated, sunset, ...(link !== undefined && { link }) }, evidence)];
}

/** Reads the date of a `Deprecation` header (RFC 9745): `@` and seconds. */
function readUnixDate(text: string | null): string | undefined {
  const [, seconds] = /^@(\d{1,12})$/.exec(text ?? '') ?? [];
  return seconds === undefined ? undefined : new Date(Number(seconds) * 1_000).toISOString();
}

function readDate(text: string | null): string | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function readLink(text: string | null): string | undefined {
  return /<([^>]*)>\s*;[^,]*rel="?deprecation"?/i.exec(text ?? '')?.[1];
}

async function lookAtRateLimit({ askOnce, plan }: Bench): Promise<Finding[]> {
  let sighting = await askOnce('/balance');
  let asked = 1;
  while (asked < plan.burst && sighting.accepted && listHeaders(sighting).length === 0) {
    const count = Math.min(plan.burst - asked, LARGEST_BURST);
    sighting = await sendBurst(() => askOnce('/balance'), count);
    asked += count;
  }
  const names = listHeaders(sighting);
  const evidence = `${sighting.status}: ${names.join(', ') || 'no such header'}`;
  const ofX = names.filter((name) => name.startsWith('x-')).length;
  if (ofX > 0 && ofX < names.length) return [other('rateLimitHeaders', evidence)];
  if (names.length > 0) return [found('rateLimitHeaders', ofX > 0 ? 'x' : 'ietf', evidence)];
  if (sighting.status === 429) return [found('rateLimitHeaders', 'none', evidence)];
  if (!sighting.accepted) throw new NoAnswer(`asking often was answered with ${describe(sighting)}`);
  return [
    unknown(
      'rateLimitHeaders',
      `no limit in ${asked} ${asked === 1 ? 'request' : 'requests'}; --burst N sends more, until one is refused`,
    ),
  ];
}

/** Number of requests sent at once; more of them may use up the sockets of this machine before the limit is met. */
const LARGEST_BURST = 100;

/** Sends requests at once, so that a limit per second is met; returns the answer that tells most of the limit. */
async function sendBurst(send: () => Promise<Sighting>, count: number): Promise<Sighting> {
  const requests = Array.from({ length: count }, () => send());
  const results = await Promise.allSettled(requests);
  const sightings = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const telling =
    sightings.find((one) => listHeaders(one).length > 0) ??
    sightings.find(({ status }) => status === 429) ??
    sightings.find(({ accepted }) => !accepted);
  if (telling !== undefined) return telling;
  // A connection that failed counts only if no answer tells of a limit.
  const [first] = await Promise.all(requests);
  return first as Sighting;
}

function listHeaders({ headers }: Sighting): string[] {
  return [...headers.keys()].filter((name) => /^(x-)?ratelimit/.test(name));
}
