import { toRecord } from '@service/internal';
import { type Experiment, type ProbeContext, requireData } from '../context.ts';
import { type Finding, found, other, unknown } from '../finding.ts';
import { describeResponse, formatValue, isRefusal } from '../raw-client.ts';

/** The experiments about authentication, paths and deprecation headers. */
export const access: readonly Experiment[] = [
  { settings: ['modeOn401'], run: probeUnknownKey },
  { settings: ['bothKeys'], run: probeTwoKeys },
  { settings: ['foreignPayment'], run: probeForeignPayment },
  { settings: ['paths'], run: probePaths },
  { settings: ['unknownPath'], run: probeUnknownPath },
  { settings: ['deprecation'], run: probeDeprecation },
];

/** Returns an API key that no account has. */
export function createUnknownKey(): string {
  // The `+` keeps a sandbox with open accounts from opening one.
  return `service_test_unknown+${crypto.randomUUID()}`;
}

async function probeUnknownKey({ send }: ProbeContext): Promise<Finding[]> {
  const response = await send('/balance', { headers: { authorization: `Bearer ${createUnknownKey()}` } });
  if (response.status !== 401) return [other('modeOn401', `an unknown key: ${describeResponse(response)}`)];
  const body = toRecord(response.body);
  if (!('error' in body))
    return [unknown('modeOn401', 'the error response has no envelope, so it has no mode')];
  const evidence = `an unknown key: "mode": ${formatValue(body.mode)}`;
  if (body.mode === undefined) return [found('modeOn401', 'omit', evidence)];
  if (body.mode === null) return [found('modeOn401', 'null', evidence)];
  return [
    body.mode === 'test' || body.mode === 'live'
      ? found('modeOn401', 'guess', evidence)
      : other('modeOn401', evidence),
  ];
}

async function probeTwoKeys({ send, key }: ProbeContext): Promise<Finding[]> {
  const bearer = await send('/balance', { headers: { 'x-api-key': createUnknownKey() } });
  const headers = { authorization: `Bearer ${createUnknownKey()}`, 'x-api-key': key };
  const named = await send('/balance', { headers });
  const evidence = `valid key as Bearer, unknown key as X-API-Key: ${bearer.status}; the reverse: ${named.status}`;
  const results = [bearer, named].map((one) =>
    one.accepted ? 'accepted' : isRefusal(one) ? 'rejected' : 'unclear',
  );
  const values = {
    'accepted rejected': 'bearer',
    'rejected accepted': 'apiKey',
    'rejected rejected': 'reject',
    'accepted accepted': 'either',
  } as const;
  const value = new Map(Object.entries(values)).get(results.join(' '));
  return [value === undefined ? other('bothKeys', evidence) : found('bothKeys', value, evidence)];
}

async function probeForeignPayment({ send, plan }: ProbeContext): Promise<Finding[]> {
  const { foreignPayment: foreign } = plan;
  if (foreign === undefined)
    return [
      unknown('foreignPayment', 'requires `foreignPayment` with the id of a payment of another account'),
    ];
  const response = await send(`/payments/${encodeURIComponent(foreign)}`);
  const evidence = `${foreign}: ${describeResponse(response)}`;
  if (response.accepted)
    return [
      unknown(
        'foreignPayment',
        `${foreign} is readable: it belongs to this account, or the service does not separate accounts`,
      ),
    ];
  if (response.status === 404) return [found('foreignPayment', 'not_found', evidence)];
  return [
    response.status === 403
      ? found('foreignPayment', 'permission_error', evidence)
      : other('foreignPayment', evidence),
  ];
}

async function probePaths({ send }: ProbeContext): Promise<Finding[]> {
  const response = await send('/balance/');
  const evidence = `GET /balance/: ${describeResponse(response)}`;
  if (response.status >= 300 && response.status < 400) return [found('paths', 'redirect', evidence)];
  if (response.accepted) return [found('paths', 'lenient', evidence)];
  return [response.status === 404 ? found('paths', 'strict', evidence) : other('paths', evidence)];
}

async function probeUnknownPath({ send }: ProbeContext): Promise<Finding[]> {
  const headers = { authorization: `Bearer ${createUnknownKey()}` };
  const response = await send('/no-such-path', { headers });
  const evidence = `GET /no-such-path with an unknown key: ${describeResponse(response)}`;
  if (response.status === 401) return [found('unknownPath', 'authenticated', evidence)];
  return [
    response.status === 404 ? found('unknownPath', 'public', evidence) : other('unknownPath', evidence),
  ];
}

async function probeDeprecation({ send }: ProbeContext): Promise<Finding[]> {
  const response = await send('/balance');
  requireData(response, 'GET /balance');
  const { headers } = response;
  const [since, until] = [headers.get('deprecation'), headers.get('sunset')];
  if (since === null && until === null)
    return [found('deprecation', 'none', 'no Deprecation or Sunset header')];
  const evidence = `Deprecation: ${since ?? 'absent'}, Sunset: ${until ?? 'absent'}`;
  const [deprecated, sunset] = [readUnixDate(since), readDate(until)];
  if (deprecated === undefined || sunset === undefined) return [other('deprecation', evidence)];
  const link = readLink(headers.get('link'));
  return [found('deprecation', { deprecated, sunset, ...(link !== undefined && { link }) }, evidence)];
}

/** Reads the date of a `Deprecation` header (RFC 9745): `@` and Unix seconds. */
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
