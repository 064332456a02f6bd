import { setTimeout as delay } from 'node:timers/promises';
import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import type { Ledger } from './payments.ts';

export interface Env {
  Variables: { ledger: Ledger; requestId: string };
}

export class Problem extends HTTPException {
  readonly type: string;
  readonly issues: readonly object[] | undefined;

  constructor(status: ContentfulStatusCode, type: string, message: string, issues?: readonly object[]) {
    super(status, { message });
    this.type = type;
    this.issues = issues;
  }
}

export function respondToProblem(thrown: Error, context: Context<Env>): Response {
  const problem =
    thrown instanceof Problem ? thrown : new Problem(500, 'internal_error', 'Something went wrong');
  const error = {
    type: problem.type,
    message: problem.message,
    request_id: context.get('requestId'),
    ...(problem.issues && { issues: problem.issues }),
  };
  return context.json({ success: false, mode: 'test', error }, problem.status);
}

/** Delays each request by 10 to 60 ms and numbers it. */
export function addLatency(random: () => number): MiddlewareHandler<Env> {
  return async (context, next) => {
    const requestId = `req_${Math.floor(random() * 2 ** 44).toString(36)}`;
    context.set('requestId', requestId);
    context.header('x-request-id', requestId);
    await delay(10 + 50 * random());
    await next();
  };
}

const LIMIT = 25;
const WINDOW = 1_000;

/** Limits the requests of each window of one second. */
export function limitRate(): MiddlewareHandler<Env> {
  let window = 0;
  let count = 0;
  return async (context, next) => {
    const now = Date.now();
    const current = Math.floor(now / WINDOW);
    count = current === window ? count + 1 : 1;
    window = current;
    context.header('ratelimit-limit', String(LIMIT));
    context.header('ratelimit-remaining', String(Math.max(0, LIMIT - count)));
    context.header('ratelimit-reset', '1');
    if (count > LIMIT) {
      context.header('retry-after', new Date((current + 1) * WINDOW).toUTCString());
      throw new Problem(429, 'too_many_requests', `Slow down: at most ${LIMIT} requests per second`);
    }
    await next();
  };
}

export function authenticate(ledgers: ReadonlyMap<string, Ledger>): MiddlewareHandler<Env> {
  return async (context, next) => {
    const key = context.req.header('x-api-key') ?? context.req.header('authorization')?.split(' ')[1];
    const ledger = ledgers.get(key ?? '');
    if (!ledger) throw new Problem(401, 'authentication_error', 'The API key is missing or unknown');
    context.set('ledger', ledger);
    await next();
  };
}

export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const issues = error.issues.map(({ path, message, code }) => ({ path, message, code }));
  throw new Problem(422, 'validation_error', 'The request is invalid', issues);
}

export async function parseBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const body: unknown = await context.req.json().catch(() => {
    throw new Problem(400, 'malformed_json', 'The body is not valid JSON');
  });
  return parse(schema, body);
}
