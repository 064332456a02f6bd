// The refusals: the status, type, message and body of each kind, and the form that they share.
import { isRecord, type JsonObject, type Refusal, similarRefusals } from '@service/internal';
import { type Call, describeCall } from '../call.ts';
import { type Facts, learnExample, listCommonFacts, type Sample, textFact } from '../example.ts';
import { type Question, sortOut, type Step } from '../question.ts';
import { isLackingFunds, listLeaves } from '../refused.ts';
import { perSeen, type Seen } from '../seen.ts';
import { access, bodies } from './access.ts';
import { pages, readForms } from './list.ts';
import { forms, keys } from './requests.ts';

/** A kind of refusal: its name, the step that causes it, and what the mock sends, if that is not as for a similar kind. */
type Kind = readonly [kind: Refusal, ask: Step, documented?: string];

const kinds: readonly Kind[] = [
  ['authentication', access, '401 authentication_error'],
  ['missing_key', access],
  ['unknown_path', access, '404 not_found'],
  ['unknown_method', access, '405 method_not_allowed'],
  ['unknown_payment', access, '404 not_found'],
  ['malformed_id', access],
  ['validation', forms, '422 validation_error'],
  ['malformed_body', bodies, '400 invalid_request_error'],
  ['not_an_object', bodies],
  ['media_type', bodies, '415 unsupported_media_type'],
  ['insufficient_funds', bodies, '422 insufficient_funds'],
  ['key_reused', keys, '409 idempotency_error'],
  ['key_of_other_body', keys, '422 idempotency_error'],
  ['unknown_page', pages, '404 not_found'],
  ['rate_limit', access, '429 rate_limit_error'],
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

/** Returns the type and the message of an error: the documented fields, or others with a common name. */
function readError(body: unknown) {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const texts = listLeaves(body).filter((leaf): leaf is [string, string] => typeof leaf[1] === 'string');
  const type = texts.find(([path, text]) => typeName.test(path) && !/\s/.test(text))?.[1];
  const message = texts.find(([path, text]) => messageName.test(path) && /\s/.test(text))?.[1];
  return {
    type: typeof error.type === 'string' ? error.type : type,
    message: typeof error.message === 'string' ? error.message : message,
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
  };
  return { json: response.body, facts };
}

/** The refusals of each kind that have a JSON body: the first one, or the second one. */
const listOfKinds = (seen: Seen, index: 0 | 1): Call[] =>
  kinds
    .flatMap(([kind]) => listRefused(seen, kind).slice(index, index + 1))
    .filter(({ response }) => isRecord(response.body));

/** The body that all kinds of refusals share. Undefined if they share none. */
const learnGeneral = perSeen((seen: Seen) => {
  const calls = listOfKinds(seen, 0);
  if (calls.length < 2) return undefined;
  const { example, unexplained } = learnExample(calls.map(toSample), readForms(seen));
  return { body: example as JsonObject, missing: unexplained, count: calls.length };
});

const documentedBody = { success: false, mode: '{mode}', error: { type: '{type}', message: '{message}' } };

const writeSorted = (json: unknown): string =>
  listLeaves(json)
    .map((leaf) => JSON.stringify(leaf))
    .toSorted()
    .join();

/** Whether a body is the documented one, with or without the mode that a request without a valid key has not. */
function isDocumented(body: unknown): boolean {
  const { mode: _, ...withoutMode } = documentedBody;
  return [documentedBody, withoutMode].some((one) => writeSorted(one) === writeSorted(body));
}

/** The form of most refusals. */
const generalQuestion: Question = {
  setting: 'refusals.all',
  ask: access,
  second: 'refusals of another kind',
  read: (seen) => {
    const learned = learnGeneral(seen);
    if (learned === undefined) return { unknown: 'fewer than two kinds of requests were refused with JSON' };
    const { body, missing, count } = learned;
    return {
      value: isDocumented(body) ? {} : { body },
      evidence: `${count} kinds of refusals`,
      missing: [...new Set(missing.map(withoutIndexes))]
        .filter((path) => path !== 'mode')
        .map((path) => `${path} of some refusals`)
        .slice(0, 4),
    };
  },
  proves: (seen) => {
    const isRight = ({ response }: Call): boolean => hasFields(learnGeneral(seen)?.body, response.body);
    return sortOut(listOfKinds(seen, 1), isRight, describeCall);
  },
};

const withoutIndexes = (path: string): string => path.replace(/\.\d+(?=\.|$)/g, '');

/** Returns whether a body has the fields of an example. */
function hasFields(example: unknown, body: unknown): boolean {
  if (!isRecord(example)) return true;
  return (
    isRecord(body) &&
    Object.entries(example).every(([name, inner]) => name in body && hasFields(inner, body[name]))
  );
}

interface RefusalValue {
  readonly status?: number;
  readonly type?: string;
  readonly body?: unknown;
}

/** Returns what the responses of a kind have in common. */
function readKind(seen: Seen, kind: Refusal) {
  const calls = listRefused(seen, kind);
  const [first] = calls;
  if (first === undefined) return undefined;
  const { type } = readError(first.response.body);
  const { body, missing } = learnBody(calls, seen);
  const value = {
    status: first.response.status,
    ...(type !== undefined && { type }),
    ...(body !== undefined && { body }),
  };
  return { value, missing, first };
}

/** Returns what the mock sends for a kind that a profile leaves out: a similar kind, or the document. */
function readUsual(seen: Seen, kind: Refusal): RefusalValue {
  const similar = similarRefusals[kind];
  const [status, type] = kinds.find(([name]) => name === kind)?.[2]?.split(' ') ?? [];
  if (similar === undefined) return { status: Number(status), ...(type !== undefined && { type }) };
  return readKind(seen, similar)?.value ?? readUsual(seen, similar);
}

/** A kind of refusal: its status, its type, and a body that is not the general one. What it shares with a similar kind is left out. */
const kindQuestion = ([kind, ask]: Kind): Question => ({
  setting: `refusals.${kind}`,
  ask,
  second: 'a second request of this kind',
  read: (seen) => {
    const read = readKind(seen, kind);
    if (read === undefined) return 'pointless';
    const usual = new Map(Object.entries(readUsual(seen, kind)));
    const own = Object.entries(read.value).filter(
      ([name, part]) => JSON.stringify(part) !== JSON.stringify(usual.get(name)),
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
  const general = learnGeneral(seen)?.body;
  const isGeneral = general !== undefined && calls.every((call) => hasFields(general, call.response.body));
  const { example, unexplained } = learnExample(calls.map(toSample), readForms(seen));
  return isGeneral || isDocumented(example)
    ? { body: undefined, missing: [] }
    : { body: example, missing: [...new Set(unexplained.map(withoutIndexes))].slice(0, 4) };
}

export const refusalQuestions: readonly Question[] = [generalQuestion, ...kinds.map(kindQuestion)];
