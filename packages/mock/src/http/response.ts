import type { Mode, OperationId } from '@service/contract';
import type { Template } from '@service/internal';
import {
  type Budget,
  type FactLists,
  type Facts,
  toJson,
  fill,
  fillFields,
  noHeaders,
  writeHeaders,
} from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import type { MockResponse } from './request.ts';

/** The mode and profile of a response, and the values of its request for templates. */
export interface ResponseContext {
  /** Undefined for unknown callers. */
  readonly mode: Mode | undefined;
  /** The mode by the prefix of an unknown key. */
  readonly keyMode?: Mode;
  readonly profile: Profile;
  readonly requestFacts: Facts;
}

/** The answer of an operation. */
export interface Answer {
  readonly operation: OperationId;
  /** The template of `data`. */
  readonly template: Template;
  /** The values for the template and the headers of the profile. */
  readonly facts?: Facts;
  readonly lists?: FactLists | undefined;
  readonly budget?: Budget | undefined;
  /** The template of the fields beside `data`. @default that of the profile for the operation */
  readonly beside?: Template | undefined;
  /** @default 200 */
  readonly status?: number;
}

/** Creates a response with the success envelope. */
export function okResponse(context: ResponseContext, answer: Answer): MockResponse {
  const { mode, profile, requestFacts } = context;
  const { operation, template, facts = noFacts, lists, budget, status = 200 } = answer;
  const { numbers } = profile;
  const options = { profile, numbers, requestFacts, lists, budget };
  const fields = { success: true, mode, data: fill(template, facts, options) };
  const { all } = profile.beside;
  const own = operation === 'listTransactions' ? answer.beside : profile.beside[operation];
  const more = all && fillFields(all, noFacts, options);
  const beside = own && fillFields(own, facts, options);
  const body = toJson(more || beside ? { ...fields, ...more, ...beside } : fields, numbers);
  const templates = profile.headers[operation];
  const headers = templates ? writeHeaders(templates, facts, context) : noHeaders;
  return { status, headers, body };
}

/** Creates the response to a create. */
export function respondWithPayment(facts: Facts, context: ResponseContext): MockResponse {
  const { successStatus, paymentShape: template } = context.profile;
  const status = successStatus.createPayment;
  return okResponse(context, { operation: 'createPayment', status, facts, template });
}

const noFacts: Facts = {};
