import {
  isRecord,
  type IssueKind,
  issueKinds,
  type Refusal,
  type RefusalTemplate,
  similarRefusals,
  type Template,
} from '@service/internal';
import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import { describeResponse } from '../raw-client.ts';
import { addUnexplained } from '../templates/learn.ts';
import { findCountedMethod } from '../templates/limits.ts';
import { listNamed, type PlacedFields } from '../templates/places.ts';
import { type Refused, toTemplate } from '../templates/refusal.ts';
import { isDocumentedBody, isSameBody, learnBody, withMode } from '../templates/refusal-body.ts';
import type { RefusedField } from './issues.ts';
import { learnOrder } from './problem-order.ts';
import { learnProblems } from './problems.ts';
import { note, type Seen } from './refusal-requests.ts';

/** The experiment about the responses of refused requests. */
export const refusalShapes: readonly Experiment[] = [
  { settings: ['errorShape', 'refusals', 'issues', 'problems'], run: probeRefusals },
];

async function probeRefusals(context: ProbeContext): Promise<Finding[]> {
  const [refused] = context.refused;
  const details = ['refusals', 'issues', 'problems'] as const;
  if (refused === undefined || 'reason' in refused) {
    const reason = refused?.reason ?? 'no refused request was sent';
    return [unknown('errorShape', reason), ...details.map((name) => unknown(name, reason))];
  }
  const { named, seen, fields, several } = refused;
  for (const response of context.limited) note(seen, 'rate_limit', { response });
  if (seen.size === 0 && fields.length === 0)
    return [named, ...details.map((name) => unknown(name, 'no request was refused'))];
  const problems = learnProblems(fields, several);
  const shape = evaluateErrorShape(named, seen);
  const usual = shape.state === 'found' ? shape.value : 'envelope';
  const toRefusal = (name: Refusal, responses: Refused, body?: Template): RefusalTemplate =>
    toTemplate(name, { ...responses, usual, body, headers: selectHeaders(context, responses) });
  const templates = new Map<Refusal | IssueKind, RefusalTemplate>(
    [...seen].map(([refusal, each]) => [refusal, toRefusal(refusal, each)]),
  );
  const [most] = problems.groups;
  for (const { kinds, refused: each, body } of problems.groups) {
    const template = toRefusal('validation', each, body.template);
    if (kinds === most?.kinds) templates.set('validation', template);
    // A body that is no object has a separate refusal.
    for (const kind of kinds) if (kind !== 'body' && !templates.has(kind)) templates.set(kind, template);
  }
  // Otherwise the details of the whole body describe it.
  if (hasSameError(seen.get('not_an_object'), most?.refused)) templates.delete('not_an_object');
  const order = await learnOrder(context, { ...problems, several });
  const evidence = addUnexplained(describeFields(fields), most?.body.unexplained ?? []);
  return [
    shape,
    found('refusals', selectDifferent(templates), describeRefusals(seen, most?.refused)),
    found('issues', problems.issues, evidence),
    several === undefined
      ? unknown('problems', 'no payment without its required fields was refused')
      : found('problems', order, describeSeveral(several)),
  ];
}

/** Returns the headers of successful responses, without those of a rate limit that does not count the refused requests. */
function selectHeaders({ headers, readings }: ProbeContext, { responses }: Refused): ProbeContext['headers'] {
  const method = findCountedMethod(readings, headers);
  if (method === undefined || responses.some(({ request }) => request?.method === method)) return headers;
  return new Map([...headers].filter(([, text]) => !text?.includes('{remaining}')));
}

function hasSameError(one: Refused | undefined, other: Refused | undefined): boolean {
  const [first, second] = [one?.responses[0], other?.responses[0]];
  return first !== undefined && second !== undefined && describeResponse(first) === describeResponse(second);
}

/** Returns the templates that differ from the one of a similar refusal, or else from the responses of the mock. */
function selectDifferent(
  templates: ReadonlyMap<Refusal | IssueKind, RefusalTemplate>,
): Readonly<Record<string, RefusalTemplate>> {
  const different = [...templates].filter(([name, template]) => {
    const kind = name.endsWith('_missing') && templates.has('missing') ? 'missing' : 'validation';
    const isKind = issueKinds.some((each) => each === name);
    const similar = isKind ? kind : similarRefusals[name as Refusal];
    const usual = (similar && templates.get(similar)) ?? {};
    return JSON.stringify(template) !== JSON.stringify(usual);
  });
  return Object.fromEntries(different);
}

function describeRefusals(seen: Seen, invalid: Refused | undefined): string {
  const all = [...seen, ...(invalid ? [['validation', invalid] as const] : [])];
  const names = all.map(
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

function describeFields(fields: readonly RefusedField[]): string {
  const names = fields.map(({ kind }) => kind);
  return names.length === 0
    ? 'no invalid field was refused'
    : `requests with one problem: ${[...new Set(names)].join(', ')}`;
}

function describeSeveral({ json, fields }: PlacedFields): string {
  const named = listNamed(json, fields);
  return `the response to a payment without ${fields.join(', ')} names ${named.join(', ') || 'none of them'}`;
}
