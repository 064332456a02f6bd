import { Buffer } from 'node:buffer';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { ApiException, constraintViolations } from './exceptions.ts';
import type { AuthenticationFilter } from './filters.ts';
import { toPaymentResponse } from './payment.ts';
import type { PaymentService, Principal } from './payment-service.ts';
import { priceOf } from './pricing.ts';
import { readPaymentRequest, readQuoteRequest } from './requests.ts';
import { pageOf, readTransactionQuery } from './transactions.ts';

interface ControllerContext {
  readonly authentication: AuthenticationFilter;
  readonly payments: PaymentService;
}

/** The response of a controller; its status is 200 by default. */
interface Result {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data: unknown;
}

type Controller = (request: Request, principal: Principal) => Result;

interface Mapping {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly controller: Controller;
}

const MAX_KEY_LENGTH = 64;
const jsonType = /^application\/(?:json|[\w.-]+\+json)$/i;

export function createRouter(context: ControllerContext): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  for (const { path, method, controller } of mappings(context)) {
    const allowed = method === 'GET' ? ['GET', 'HEAD'] : [method];
    router.all(path, (request: Request, response: Response, next: NextFunction): void => {
      const principal = context.authentication.principalOf(request);
      if (request.method === 'OPTIONS') {
        response.setHeader('Allow', [...allowed, 'OPTIONS'].join(','));
        send(response, 200, { success: true, mode: principal.mode });
        return;
      }
      if (!allowed.includes(request.method)) throw methodNotAllowed(request.method, method);
      checkMediaTypes(request);
      next();
    });
    const parseBody = express.raw({ type: () => true, limit: '1mb' });
    router[method === 'GET' ? 'get' : 'post'](path, parseBody, (request: Request, response: Response) => {
      const principal = context.authentication.principalOf(request);
      const { status = 200, headers = {}, data } = controller(request, principal);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      send(response, status, { success: true, mode: principal.mode, data });
    });
  }
  return router;
}

export function send(response: Response, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(body));
}

function mappings({ payments }: ControllerContext): readonly Mapping[] {
  return [
    { path: '/quotes', method: 'POST', controller: (request) => ({ data: createQuote(bodyOf(request)) }) },
    {
      path: '/payments',
      method: 'POST',
      controller: (request, principal) => createPayment(payments, request, principal),
    },
    {
      path: '/payments/:id',
      method: 'GET',
      controller: ({ params }, principal) => ({
        data: toPaymentResponse(payments.find(principal, String(params['id']))),
      }),
    },
    {
      path: '/balance',
      method: 'GET',
      controller: (_request, { account, mode }) => ({ data: { balances: account.wallets[mode].balances() } }),
    },
    {
      path: '/transactions',
      method: 'GET',
      controller: ({ originalUrl }, { account, mode }) => {
        const query = readTransactionQuery(new URL(originalUrl, 'http://localhost').searchParams);
        return { data: pageOf(account.wallets[mode].entries, query) };
      },
    },
  ];
}

function createQuote(body: Buffer): object {
  const { corridor, amount } = readQuoteRequest(body);
  const { sendAmount, fee, rate, receiveAmount } = priceOf(corridor, amount);
  return {
    from_currency: corridor.from,
    to_currency: corridor.to,
    send_amount: sendAmount,
    fee,
    rate,
    receive_amount: receiveAmount,
  };
}

/** Answers a repeated request with the payment as it is now. */
function createPayment(payments: PaymentService, request: Request, principal: Principal): Result {
  const key = request.get('idempotency-key')?.trim() ?? '';
  if (key.length > MAX_KEY_LENGTH) {
    const message = `size must be between 0 and ${MAX_KEY_LENGTH}`;
    throw constraintViolations([{ field: 'idempotencyKey', code: 'Size', message }]);
  }
  const command = readPaymentRequest(bodyOf(request));
  const { payment, isReplay } = payments.create(principal, command, key === '' ? undefined : key);
  const data = toPaymentResponse(payment);
  if (isReplay) return { data };
  const [path = ''] = request.originalUrl.split('?');
  const location = `${request.protocol}://${request.get('host') ?? 'localhost'}${path}/${payment.id}`;
  return { status: 202, headers: { Location: location }, data };
}

function bodyOf({ body }: Request): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function methodNotAllowed(method: string, allowed: string): ApiException {
  return new ApiException(405, 'method_not_allowed', `Request method '${method}' is not supported`, {
    headers: { Allow: allowed },
  });
}

/** @throws {ApiException} when the body is no JSON, or the client takes no JSON */
function checkMediaTypes(request: Request): void {
  const [type = ''] = (request.get('content-type') ?? 'application/octet-stream').split(';');
  if (request.method === 'POST' && !jsonType.test(type.trim()))
    throw new ApiException(415, 'unsupported_media_type', `Content-Type '${type.trim()}' is not supported`, {
      headers: { Accept: 'application/json, application/*+json' },
    });
  if (request.accepts('application/json') === false)
    throw new ApiException(406, 'not_acceptable', 'Acceptable representations: [application/json]');
}
