import { type JsonObject, toRecord } from '@service/internal';
import { requireData } from '../context.ts';
import { type Finding, found, other } from '../finding.ts';
import { formatValue, type RawResponse } from '../raw-client.ts';
import { readTimestampForm } from '../templates/known.ts';

/** Evaluates the response to a create. */
export function evaluateCreate(response: RawResponse): Finding[] {
  const data = requireData(response, 'POST /payments');
  const { status } = response;
  const evidence = `POST /payments: ${status}`;
  const isKnown = status === 200 || status === 201 || status === 202;
  return [
    isKnown ? found('createStatus', status, evidence) : other('createStatus', evidence),
    evaluateAbsent(data),
    evaluateTimestamp(data.created_at),
  ];
}

/** Compares the fields that the request did not supply; all must be absent in the same form. */
export function evaluateAbsent({ purpose, beneficiary }: JsonObject): Finding {
  const { bank, account, country } = toRecord(beneficiary);
  const fields = Object.entries({ purpose, bank, account, country });
  const evidence = fields.map(([name, value]) => `${name} ${formatValue(value)}`).join(', ');
  const [value, ...more] = new Set(fields.map(([, one]) => one));
  if (more.length > 0) return other('absent', evidence);
  if (value === undefined) return found('absent', 'omit', evidence);
  if (value === null) return found('absent', 'null', evidence);
  return value === '' ? found('absent', 'empty', evidence) : other('absent', evidence);
}

const timestampNames: Readonly<Record<string, 'offset' | 'zulu' | 'compactOffset' | 'fraction'>> = {
  '0 +00:00': 'offset',
  '0 Z': 'zulu',
  '0 +0000': 'compactOffset',
  '3 +00:00': 'fraction',
};

export function evaluateTimestamp(value: unknown): Finding {
  const evidence = `"created_at": ${formatValue(value)}`;
  const form = readTimestampForm(value);
  if (form === undefined) return other('timestamps', evidence);
  return found('timestamps', timestampNames[`${form.digits} ${form.zone}`] ?? form, evidence);
}
