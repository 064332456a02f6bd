// The refusals: the status, type, message and body of each kind, and the form that they share.
import { documentedRefusal, isRecord, type Refusal, similarRefusals, toRecord } from '@service/internal';
import { type Call, describeCall } from '../call.ts';
import { type Facts, learnExample, listCommonFacts, type Sample, textFact } from '../example.ts';
import { type Question, sortOut, type Step } from '../question.ts';
import { isLackingFunds, listLeaves } from '../refused.ts';
import { perSeen, type Seen } from '../seen.ts';
import { access, bodies } from './access.ts';
import { pages, readForms } from './list.ts';
import { forms, keys } from './requests.ts';

/** A kind of refusal: its name, the step that causes it, and what the mock sends, if that is not as for a similar kind. */
type Kind = readonly [kind: Refusal, ask: Step, status?: number, type?: string];

const kinds: readonly Kind[] = [
  ['authentication', access, 401, 'authentication_error'],
  ['missing_key', access],
  ['unknown_path', access, 404, 'not_found'],
  ['unknown_method', access, 405, 'method_not_allowed'],
  ['unknown_payment', access, 404, 'not_found'],
  ['malformed_id', access],
  ['foreign_payment', access],
  ['validation', forms, 422, 'validation_error'],
  ['unknown_currency', forms],
  ['malformed_body', bodies, 400, 'invalid_request_error'],
  ['not_an_object', bodies],
  ['media_type', bodies, 415, 'unsupported_media_type'],
  ['insufficient_funds', bodies, 422, 'insufficient_funds'],
  ['key_reused', keys, 409, 'idempotency_error'],
  ['key_of_other_body', keys, 422, 'idempotency_error'],
  ['unknown_page', pages, 404, 'not_found'],
  ['rate_limit', access, 429, 'rate_limit_error'],
];

/** The labels of the requests that other questions send too. */
const labels: { readonly [Name in Refusal]?: string } = {
  media_type: 'requestBody.mediaTypes',
  key_reused: 'idempotency',
  key_of_other_body: 'idempotency',
  unknown_page: 'listQuery.pastEnd',
};

/** Returns the refused calls of a kind. */
function listRefused(seen: Seen, kind: Refusal): readonly Call[] {
  if (kind === 'rate_limit') return seen.limited;
  const calls = seen.of(labels[kind] ?? `refusals.${kind}`).filter(({ response }) => response.status >= 400);
  const isRepeated = ({ sent, headers }: Call): boolean =>
    seen.calls.some(
      (one) =>
        one.operation === 'createPayment' &&
        one.response.accepted &&
        one.headers['idempotency-key'] === headers['idempotency-key'] &&
        JSON.stringify(one.sent) === JSON.stringify(sent),
    );
  if (kind === 'key_reused') return calls.filter(isRepeated);
  if (kind === 'key_of_other_body') return calls.filter((call) => !isRepeated(call));
  if (kind === 'media_type') return calls.filter((call) => !isLackingFunds(call, seen));
  if (kind === 'unknown_page') return calls.filter(({ response }) => response.status === 404);
  return calls.filter(({ response }) => response.status < 500);
}

const typeName = /(?:^|\.)(?:type|code|error_?code|error|kind)$/i;
const messageName = /(?:^|\.)(?:message|detail|error_?description|description|msg|title|reason|error)$/i;

/** Returns the type and the message of an error: the documented fields, or the first ones with a common name. */
function readError(body: unknown) {
  const texts = listLeaves(body).filter((leaf): leaf is [string, string] => typeof leaf[1] === 'string');
  const documented = new Map(texts);
  const type = texts.find(([path, text]) => typeName.test(path) && !/\s/.test(text))?.[1];
  const message = texts.find(([path, text]) => messageName.test(path) && /\s/.test(text))?.[1];
  return {
    type: documented.get('error.type') ?? type,
    message: documented.get('error.message') ?? message,
  };
}

const typeOf = ({ response }: Call): string | undefined => readError(response.body).type;

/** Returns a refusal with the values that its body can show. */
function toSample(call: Call): Sample {
  const { path, target, response } = call;
  const { type, message } = readError(response.body);
  const paths = new Set<unknown>([target, path, `/api/v1${target}`, `/api/v1${path}`]);
  const shown = listLeaves(response.body).find(([, value]) => paths.has(value))?.[1];
  const facts: Facts = {
    status: { kind: 'count', count: response.status },
    ...(type !== undefined && { type: textFact(type) }),
    ...(message !== undefined && { message: textFact(message) }),
    ...(shown !== undefined && { path: textFact(shown) }),
    ...listCommonFacts(call),
    // Without a valid key, a service does not know the mode.
    ...(response.status === 401 && { mode: textFact(undefined) }),
  };
  return { json: response.body, facts };
}

/** The refusals of each kind that have a JSON body: the first one, or the second one. */
const listOfKinds = (seen: Seen, index: 0 | 1): Call[] =>
  kinds
    .flatMap(([kind]) => listRefused(seen, kind).slice(index, index + 1))
    .filter(({ response }) => isRecord(response.body));

const documentedLeaves = new Map(listLeaves(documentedRefusal));

/** Learns the body of refusals. */
function learnRefusals(calls: readonly Call[], seen: Seen) {
  const { example, unexplained } = learnExample(calls.map(toSample), { ...readForms(seen), absent: 'omit' });
  const missing = [...new Set(unexplained.map((path) => path.replace(/\.\d+(?=\.|$)/g, '')))].slice(0, 4);
  // Without a valid key, a service does not know the mode.
  const leaves = listLeaves({ mode: '{mode}', ...toRecord(example) });
  const isDocumented =
    leaves.length === documentedLeaves.size &&
    leaves.every(([path, value]) => documentedLeaves.get(path) === value);
  return { body: isDocumented ? documentedRefusal : example, missing };
}

/** The body that all kinds of refusals share: the documented one, if there are fewer than two. */
const learnGeneral = perSeen((seen: Seen) => {
  const calls = listOfKinds(seen, 0);
  return calls.length < 2 ? { body: documentedRefusal, missing: [] } : learnRefusals(calls, seen);
});

/** Returns whether a body has the fields of the general one but for the mode. */
function isGeneral({ response }: Call, seen: Seen): boolean {
  const paths = new Set(listLeaves(response.body).map(([path]) => path));
  const expected = listLeaves(learnGeneral(seen).body);
  return expected.every(([path, value]) => value === '{mode}' || paths.has(path));
}

/** The form of most refusals. */
const generalQuestion: Question = {
  setting: 'refusals.all',
  ask: access,
  second: 'refusals of another kind',
  read: (seen) => {
    const { length } = listOfKinds(seen, 0);
    if (length < 2) return { unknown: 'fewer than two kinds of requests were refused with JSON' };
    const { body, missing } = learnGeneral(seen);
    return {
      value: body === documentedRefusal ? {} : { body },
      evidence: `${length} kinds of refusals`,
      missing: missing.map((path) => `${path} of some refusals`),
    };
  },
  proves: (seen) => sortOut(listOfKinds(seen, 1), (call) => isGeneral(call, seen), describeCall),
};

/** Returns what the responses of a kind have in common. */
function readKind(seen: Seen, kind: Refusal) {
  const calls = listRefused(seen, kind);
  const [first] = calls;
  if (first === undefined) return undefined;
  const { body, missing } = learnBody(calls, seen);
  return { value: { status: first.response.status, type: typeOf(first), body }, missing, first };
}

/** Returns what the mock sends for a kind that a profile leaves out: a similar kind, or the document. */
function readUsual(seen: Seen, kind: Refusal): Readonly<Record<string, unknown>> {
  const similar = similarRefusals[kind];
  if (similar !== undefined) return readKind(seen, similar)?.value ?? readUsual(seen, similar);
  const [, , status, type] = kinds.find(([name]) => name === kind) ?? [];
  return { status, type };
}

/** A kind of refusal: its status, its type, and a body that is not the general one. What it shares with a similar kind is left out. */
const kindQuestion = ([kind, ask]: Kind): Question => ({
  setting: `refusals.${kind}`,
  ask,
  second: 'a second request of this kind',
  read: (seen) => {
    const read = readKind(seen, kind);
    if (read === undefined) return 'pointless';
    const usual = readUsual(seen, kind);
    const own = Object.entries(read.value).filter(
      ([name, part]) => part !== undefined && JSON.stringify(part) !== JSON.stringify(usual[name]),
    );
    return { value: Object.fromEntries(own), evidence: describeCall(read.first), missing: read.missing };
  },
  proves: (seen) => {
    const [first, ...others] = listRefused(seen, kind);
    const isRight = (call: Call): boolean =>
      first !== undefined && call.response.status === first.response.status && typeOf(call) === typeOf(first);
    return sortOut(others, isRight, describeCall);
  },
});

/** Learns the body of a kind. None if it is the general one. */
function learnBody(calls: readonly Call[], seen: Seen) {
  const [first] = calls;
  if (first?.response.body === undefined) {
    const { text = '' } = first?.response ?? {};
    const isConstant = calls.every((call) => call.response.text === text);
    return isConstant
      ? { body: text.replaceAll('{', '{{'), missing: [] }
      : { body: undefined, missing: ['the text of the body'] };
  }
  return calls.every((call) => isGeneral(call, seen))
    ? { body: undefined, missing: [] }
    : learnRefusals(calls, seen);
}

export const refusalQuestions: readonly Question[] = [generalQuestion, ...kinds.map(kindQuestion)];
