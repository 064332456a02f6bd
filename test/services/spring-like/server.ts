import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
import { printAddress, readProgramOptions } from '../program.ts';
import { createRouter, send } from './controllers.ts';
import { Deterministic } from './deterministic.ts';
import { ApiException, malformedRequest, notFound } from './exceptions.ts';
import { AuthenticationFilter, RateLimitFilter, securityHeaders } from './filters.ts';
import { Outbox } from './outbox.ts';
import type { Account } from './payment.ts';
import { PaymentService, type Principal } from './payment-service.ts';
import { readPaymentRequest } from './requests.ts';
import { settleDuePayments } from './settlement-job.ts';
import { durations } from './settings.ts';
import { formatMilliseconds, now } from './timestamps.ts';
import { Wallets } from './wallet.ts';

const BASE_PATH = '/api/v1';
const { port, webhookUrl, speed, seed } = readProgramOptions();
const random = new Deterministic(seed);
const payments = new PaymentService({ random, speed });
const secret = random.hex('signing-secret', 0, 64);
const outbox = new Outbox({ secret, speed });

const account = createAccount('northwind', webhookUrl);
const otherAccount = createAccount('contoso', undefined);
const keys = new Map<string, Principal>();
const apiKey = addKey({ account, mode: 'test' });
addKey({ account, mode: 'live' });
const foreign = payments.create(
  { account: otherAccount, mode: 'test' },
  readPaymentRequest(foreignBody()),
  '',
);

const authentication = new AuthenticationFilter(keys);
const rateLimit = new RateLimitFilter(authentication, speed);
const application = express();
application.disable('x-powered-by');
application.disable('etag');
application.enable('strict routing');
application.enable('case sensitive routing');
application.use((_request: Request, response: Response, next: NextFunction) => {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  next();
});
application.use((request, response, next) => authentication.handle(request, response, next));
application.use((request, response, next) => rateLimit.handle(request, response, next));
application.use(BASE_PATH, createRouter({ authentication, payments }));
application.use((request: Request) => {
  throw notFound(`No static resource ${request.path.slice(1)}`);
});

let errorCount = 0;
application.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
  const exception = toApiException(error);
  const { status, type, message, violations } = exception;
  for (const [name, value] of Object.entries(exception.headers)) response.setHeader(name, value);
  errorCount += 1;
  send(response, status, {
    success: false,
    mode: authentication.find(request)?.mode,
    timestamp: formatMilliseconds(now()),
    status,
    error: { type, message, violations },
    path: request.originalUrl.split('?')[0],
    trace_id: random.hex('trace', errorCount, 32),
  });
});

setInterval(
  () => settleDuePayments(payments.payments, (payment, previous) => outbox.add(payment, previous)),
  durations.settlementJob / speed,
);
setInterval(() => outbox.sendDue(), durations.outboxJob / speed);

const server = createServer({ keepAliveTimeout: 60_000 }, application);
server.listen(port, '127.0.0.1', () => {
  const { port: listening } = server.address() as AddressInfo;
  printAddress({
    baseUrl: `http://127.0.0.1:${listening}${BASE_PATH}`,
    apiKey,
    webhookSecret: secret,
    foreignPayment: foreign.payment.id,
  });
});

function createAccount(name: string, url: string | undefined): Account {
  return {
    name,
    webhookUrl: url,
    wallets: { test: new Wallets(name, 'test'), live: new Wallets(name, 'live') },
  };
}

function addKey(principal: Principal): string {
  const key = `service_${principal.mode}_${random.hex(`api-key-${principal.mode}`, 0, 40)}`;
  keys.set(key, principal);
  return key;
}

function foreignBody(): Buffer {
  const body = { from_currency: 'EUR', to_currency: 'GBP', amount: 75, beneficiary_name: 'Fabrikam Ltd' };
  return Buffer.from(JSON.stringify(body));
}

/** Reads the status of errors that Express throws itself. */
function toApiException(error: unknown): ApiException {
  if (error instanceof ApiException) return error;
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : 500;
  if (status === 413) return new ApiException(413, 'payload_too_large', 'The body is too large');
  if (status === 415)
    return new ApiException(415, 'unsupported_media_type', 'Content-Encoding is not supported');
  if (typeof status === 'number' && status < 500) return malformedRequest('The request cannot be read');
  return new ApiException(500, 'internal_error', 'Internal Server Error');
}
