import { randomUUID } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { ApiError, errorKinds } from './errors.ts';
import type { Account } from './payments.ts';

export interface AppEnvironment {
  Variables: { account?: Account };
}

interface RateWindow {
  readonly endsAt: number;
  count: number;
}

const RATE_LIMIT = 600;
const RATE_PERIOD = 60_000;
const MAXIMUM_BODY = 262_144;

/** Answers with the request id of the caller, or a new one. */
export const addStandardHeaders: MiddlewareHandler<AppEnvironment> = async (context, next) => {
  const requestId = context.req.header('X-Request-Id') ?? '';
  context.header('X-Request-Id', /^[\w-]{1,128}$/.test(requestId) ? requestId : randomUUID());
  context.header('Cache-Control', 'no-store');
  await next();
};

export function authenticate(accounts: ReadonlyMap<string, Account>): MiddlewareHandler<AppEnvironment> {
  const challenge = { headers: { 'WWW-Authenticate': 'Bearer realm="payments"' } };
  return async (context, next) => {
    const bearer = /^Bearer\s+(\S+)$/i.exec(context.req.header('Authorization') ?? '')?.[1];
    const key = bearer ?? context.req.header('X-API-Key');
    if (!key) {
      const message = 'No API key provided. Send it in the Authorization header: Bearer <API_KEY>.';
      throw new ApiError(errorKinds.authentication, message, challenge);
    }
    const account = accounts.get(key);
    if (!account) throw new ApiError(errorKinds.authentication, 'Invalid API key provided.', challenge);
    context.set('account', account);
    await next();
  };
}

/** Limits the requests of an account in each period, which `speed` shortens. */
export function limitRate(speed: number): MiddlewareHandler<AppEnvironment> {
  const windows = new Map<Account, RateWindow>();
  return async (context, next) => {
    const account = requireAccount(context);
    const now = Date.now();
    let window = windows.get(account);
    if (!window || window.endsAt <= now) {
      window = { endsAt: now + RATE_PERIOD / speed, count: 0 };
      windows.set(account, window);
    }
    window.count += 1;
    const reset = String(Math.ceil((window.endsAt - now) / 1000));
    context.header('RateLimit-Limit', String(RATE_LIMIT));
    context.header('RateLimit-Remaining', String(Math.max(RATE_LIMIT - window.count, 0)));
    context.header('RateLimit-Reset', reset);
    if (window.count > RATE_LIMIT) {
      const message = `Too many requests. Retry in ${reset} seconds.`;
      throw new ApiError(errorKinds.rateLimit, message, { headers: { 'Retry-After': reset } });
    }
    await next();
  };
}

export function requireAccount(context: Context<AppEnvironment>): Account {
  const account = context.get('account');
  if (!account) throw new Error('The route is not authenticated.');
  return account;
}

/**
 * Reads the JSON object of a request, and its text.
 * @throws {ApiError} when the body is not a JSON object.
 */
export async function readBody(
  context: Context<AppEnvironment>,
): Promise<{ text: string; fields: Record<string, unknown> }> {
  const text = await context.req.text();
  if (text.length > MAXIMUM_BODY) {
    throw new ApiError(errorKinds.tooLarge, `The request body must have at most ${MAXIMUM_BODY} characters.`);
  }
  const type = context.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (text !== '' && !/^application\/([\w.-]+\+)?json$/.test(type)) {
    const message = `Content-Type must be application/json, not '${type}'.`;
    throw new ApiError(errorKinds.mediaType, message);
  }
  let fields: unknown;
  try {
    fields = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw new ApiError(errorKinds.badRequest, 'The request body could not be parsed as JSON.');
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new ApiError(errorKinds.badRequest, 'The request body must be a JSON object.');
  }
  return { text, fields: fields as Record<string, unknown> };
}
