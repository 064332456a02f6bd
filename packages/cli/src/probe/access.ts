import { type Finding, found, Inconclusive, other, unknown } from './finding.ts';
import type { Bench, Experiment } from './bench.ts';
import { describe, type Sighting, toRecord } from './wire.ts';

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
  const evidence = `a wrong key: "mode": ${JSON.stringify(body.mode) ?? 'absent'}`;
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
  const isLetIn = `${bearer.accepted} ${named.accepted}`;
  if (isLetIn === 'true false') return [found('bothKeys', 'bearer', evidence)];
  if (isLetIn === 'false true') return [found('bothKeys', 'apiKey', evidence)];
  return [isLetIn === 'false false' ? found('bothKeys', 'reject', evidence) : other('bothKeys', evidence)];
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
  const { headers } = await ask('/balance');
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
  let sighting: Sighting = await askOnce('/balance');
  let asked = 1;
  for (; asked < plan.burst && sighting.status !== 429; asked += 1) sighting = await askOnce('/balance');
  const names = [...sighting.headers.keys()].filter((name) => /^(x-)?ratelimit/.test(name));
  const evidence = `${sighting.status}: ${names.join(', ') || 'no such header'}`;
  if (names.some((name) => name.startsWith('x-'))) return [found('rateLimitHeaders', 'x', evidence)];
  if (names.length > 0) return [found('rateLimitHeaders', 'ietf', evidence)];
  if (sighting.status === 429) return [found('rateLimitHeaders', 'none', evidence)];
  if (sighting.status >= 500) throw new Inconclusive(`asking often was answered with ${sighting.status}`);
  return [
    unknown(
      'rateLimitHeaders',
      `no limit in ${asked} ${asked === 1 ? 'request' : 'requests'}; --burst N sends more, until one is refused`,
    ),
  ];
}
