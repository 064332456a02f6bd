import { type IssueKind, type Refusal, type RefusalTemplate, similarRefusals } from '@service/internal';
import {
  type ApiError,
  describeProblems,
  errorTypes,
  findOfKind,
  type Problem,
  selectProblems,
} from '../domain/api-error.ts';
import {
  checkSize,
  type FactItem,
  type Facts,
  toJson,
  createBudget,
  fill,
  writeHeaders,
} from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import type { MockResponse } from './request.ts';
import type { ResponseContext } from './response.ts';

/** The error of a service that fails without a known reason. */
export const serviceFailure: ApiError = { type: 'server_error', message: 'The service failed.' };

/** The status and headers of an error response. */
export interface ErrorInit {
  /** @default the status of the error type */
  readonly status?: number;
  /** A status that no template changes. */
  readonly fixed?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional values for the templates of the refusal. */
  readonly facts?: Facts;
}

/** An error response. The service throws it and converts it to a response. */
export class HttpError extends Error {
  override readonly name = 'HttpError' as const;
  readonly error: ApiError;
  readonly init: ErrorInit;

  constructor(error: ApiError, init: ErrorInit = {}) {
    super(error.message);
    this.error = error;
    this.init = init;
  }
}

/** Creates an error response from the templates of the profile (docs/contract.md#errors). */
export function errorResponse(error: ApiError, context: ResponseContext, init: ErrorInit = {}): MockResponse {
  const { mode, keyMode, profile } = context;
  const { type, message, fields = noFields, values = {}, refusal = errorTypes[type].refusal } = error;
  const selected = selectProblems(fields, profile);
  const stated = selected.length < fields.size ? describeProblems(selected) : message;
  const factsOf = ([field, { text }]: (typeof selected)[number]) =>
    ({ field, problem: text, value: values[field], request: values }) as Facts;
  const [first] = selected;
  const own = chooseRefusal(refusal, first?.[1].kind, profile);
  const { errorShape: shape } = profile;
  const { body = null } = { ...shape, ...own };
  const status = init.fixed ?? own.status ?? shape.status ?? init.status ?? errorTypes[type].status;
  const facts = {
    ...init.facts,
    ...(first && factsOf(first)),
    type: own.type ?? type,
    message: own.message ?? stated,
    status,
    mode,
    key_mode: keyMode,
  };
  const budget = createBudget();
  const [fieldItems, issueItems]: [FactItem[], FactItem[]] = [[], []];
  for (const problem of selected) {
    const [field, { kind }] = problem;
    const ofField = factsOf(problem);
    const { issues: templates } = profile;
    const others = field === '' ? [] : (templates.other ?? ['{problem}']);
    const shown = findOfKind(templates, kind) ?? others;
    const issues = shown.map((template) => fill(template, ofField, { profile, budget }));
    issueItems.push(...issues.map((issue) => ({ name: field, facts: { ...ofField, issue } })));
    if (field !== '') fieldItems.push({ name: field, facts: { ...ofField, issue: issues[0], issues } });
  }
  const written = fill(body, facts, {
    ...context,
    lists: { fields: fieldItems, issues: issueItems },
    budget,
  });
  const headers = {
    ...init.headers,
    // They describe the body of the shape, such as its Content-Type.
    ...(own.body === undefined && writeHeaders(shape.headers, facts, context)),
    ...writeHeaders(own.headers, facts, context),
  };
  // A text is a body that is not JSON, such as an HTML page.
  return { status, headers, body: typeof written === 'string' ? checkSize(written) : toJson(written) };
}

/** Returns the template of a refusal: the one of its first problem, its own, or the one of a similar refusal. */
function chooseRefusal(
  refusal: Refusal | null | undefined,
  kind: IssueKind | undefined,
  { refusals }: Profile,
): RefusalTemplate {
  if (!refusal) return {};
  const ofKind = kind && findOfKind(refusals, kind);
  return ofKind ?? refusals[refusal] ?? refusals[similarRefusals[refusal] ?? refusal] ?? {};
}

const noFields: ReadonlyMap<string, Problem> = new Map();
