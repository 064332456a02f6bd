import { isRecord, type Refusal, type RefusalTemplate } from '@service/internal';
import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import { describeResponse } from '../raw-client.ts';
import { addUnexplained } from '../templates/learn.ts';
import { type LearnedIssues, learnIssues } from '../templates/issues.ts';
import { type Refused, toSample, toTemplate } from '../templates/refusal.ts';
import { isDocumentedBody, isSameBody, learnBody, withMode } from '../templates/refusal-body.ts';
import { type RefusedField, refuseFields } from './issues.ts';
import { collectRefusals, note, type Seen } from './refusal-requests.ts';
import { readErrorShape } from './requests.ts';

/** The experiment about the responses of refused requests. */
export const refusalShapes: readonly Experiment[] = [
  { settings: ['errorShape', 'refusals', 'issues'], run: probeRefusals },
];

async function probeRefusals(context: ProbeContext): Promise<Finding[]> {
  const named = await readErrorShape(context);
  const seen = await collectRefusals(context);
  const fields = await refuseFields(context);
  for (const response of context.limited) note(seen, 'rate_limit', response);
  if (fields.length > 0)
    seen.set('validation', {
      responses: fields.map(({ response }) => response),
      samples: fields.map(({ field, response }) => toSample(response, field === '' ? [] : [field])),
    });
  // Otherwise the details of the whole body describe it.
  if (describeRefusal(seen, 'not_an_object') === describeRefusal(seen, 'validation'))
    seen.delete('not_an_object');
  const none = 'no request was refused';
  if (seen.size === 0) return [named, unknown('refusals', none), unknown('issues', none)];
  const shape = evaluateErrorShape(named, seen);
  const usual = shape.state === 'found' ? shape.value : 'envelope';
  const details = evaluateFields(fields);
  const templates = [...seen].flatMap(([refusal, refused]): [Refusal, RefusalTemplate][] => {
    const body = refusal === 'validation' ? details.body : undefined;
    const template = toTemplate(refusal, { ...refused, usual, body, headers: context.headers });
    return Object.keys(template).length === 0 ? [] : [[refusal, template]];
  });
  return [
    shape,
    found('refusals', Object.fromEntries(templates), describeRefusals(seen)),
    found('issues', details.issues, addUnexplained(describeFields(fields), details.unexplained)),
  ];
}

function describeRefusal(seen: Seen, refusal: Refusal): string | undefined {
  const [response] = seen.get(refusal)?.responses ?? [];
  return response && describeResponse(response);
}

function describeRefusals(seen: Seen): string {
  const names = [...seen].map(
    ([refusal, { responses }]) => responses[0] && `${refusal} ${describeResponse(responses[0])}`,
  );
  return names.join(', ');
}

/** Refusals with the errors of most operations; their bodies have no details. */
const usualRefusals: readonly Refusal[] = [
  'authentication',
  'unknown_payment',
  'foreign_payment',
  'insufficient_funds',
  'key_reused',
];

/** Determines the body of most errors: a named one, or the one that most of some refusals have. */
export function evaluateErrorShape(named: Finding, seen: ReadonlyMap<Refusal, Refused>): Finding {
  if (named.state === 'found' && named.value !== 'envelope') return named;
  const names = usualRefusals.filter((name) => seen.has(name));
  const bodies = names.map((name) => withMode(name, learnBody(seen.get(name)?.samples ?? [])));
  const counted = bodies.map((body) => ({
    body,
    count: bodies.filter((each) => isSameBody(each, body)).length,
  }));
  const [first] = counted.toSorted((one, other) => other.count - one.count);
  if (first === undefined || first.count < 2 || !isRecord(first.body)) return named;
  const evidence = `${named.evidence}; the errors of ${names.join(', ')}`;
  return found('errorShape', isDocumentedBody(first.body) ? 'envelope' : { body: first.body }, evidence);
}

/** Determines the details of invalid fields. */
function evaluateFields(
  fields: readonly RefusedField[],
): Partial<LearnedIssues> & Pick<LearnedIssues, 'issues' | 'unexplained'> {
  const samples = fields.map(({ kind, field, response }) => ({ kind, field, sample: toSample(response) }));
  return learnIssues(samples) ?? { issues: {}, unexplained: [] };
}

function describeFields(fields: readonly RefusedField[]): string {
  const names = fields.map(({ kind }) => kind);
  return names.length === 0
    ? 'no invalid field was refused'
    : `requests with one problem: ${names.join(', ')}`;
}
