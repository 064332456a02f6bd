import { Router, type RouterContext } from '@koa/router';
import Koa from 'koa';
import { readBody } from './body.ts';
import { ApiError, notFound, toApiError } from './errors.ts';
import type { KeyRing } from './keys.ts';
import {
  type Call,
  createPayment,
  createQuote,
  getBalance,
  getPayment,
  listTransactions,
  PREFIX,
  type Reply,
} from './operations.ts';
import type { PriceList } from './pricing.ts';
import type { IdFactory } from './random.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Workspace } from './workspace.ts';

export interface AppOptions {
  readonly keys: KeyRing;
  readonly limit: RateLimit;
  readonly prices: PriceList;
  readonly ids: IdFactory;
}

interface State {
  requestId: string;
  /** Known after authentication. */
  workspace?: Workspace;
}

type Context = Koa.ParameterizedContext<State>;
type Middleware = Koa.Middleware<State>;

export function createApp(options: AppOptions): Koa<State> {
  const app = new Koa<State>();
  app.silent = true;
  const router = createRouter(options);
  app.use(answerErrors(options.ids));
  app.use(admit(options));
  app.use(router.routes() as Middleware);
  app.use((context) => {
    throw findRouteError(context, router);
  });
  return app;
}

function createRouter({ prices }: AppOptions): Router<State> {
  const router = new Router<State>({ prefix: PREFIX });
  const handle =
    (operation: (call: Call) => Promise<Reply>) =>
    async (context: RouterContext<State>): Promise<void> => {
      const { workspace } = context.state;
      if (!workspace) throw new Error('The request was not authenticated');
      const reply = await operation({
        workspace,
        prices,
        id: context.params['id'] ?? '',
        query: context.query,
        idempotencyKey: context.headers['idempotency-key']?.toString(),
        readBody: async () => readBody(context.req),
      });
      const { status, data, links, meta, headers = {} } = reply;
      context.status = status;
      context.set(headers);
      context.body = {
        success: true,
        mode: workspace.mode,
        data,
        ...(links && { links }),
        meta: { request_id: context.state.requestId, ...meta },
      };
    };
  router.post('/quotes', handle(createQuote));
  router.post('/payments', handle(createPayment));
  router.get('/payments/:id', handle(getPayment));
  router.get('/balance', handle(getBalance));
  router.get('/transactions', handle(listTransactions));
  return router;
}

function answerErrors(ids: IdFactory): Middleware {
  return async (context, next) => {
    const given = context.get('X-Request-Id');
    const requestId = /^[\w.-]{1,64}$/.test(given) ? given : ids.next('req');
    context.state.requestId = requestId;
    context.set({
      'X-Request-Id': requestId,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    try {
      await next();
    } catch (error) {
      const problem = toApiError(error);
      const { workspace } = context.state;
      context.status = problem.status;
      context.set(problem.headers);
      context.body = {
        success: false,
        ...(workspace && { mode: workspace.mode }),
        ...problem.describe(),
        meta: { request_id: requestId },
      };
    }
  };
}

/** Checks who sends a request and how often, before anything else about it. */
function admit({ keys, limit }: AppOptions): Middleware {
  return async (context, next) => {
    if (!context.path.startsWith(`${PREFIX}/`)) throw findRouteError(context);
    const workspace = keys.authenticate(context.headers);
    context.state.workspace = workspace;
    const { headers, error } = limit.count(workspace);
    context.set(headers);
    if (error) throw error;
    if (context.accepts('json') === false) {
      const detail = 'The service answers with application/json only.';
      const problems = [{ code: 'json_only', detail, source: { header: 'Accept' } }];
      throw new ApiError({ status: 406, type: 'not_acceptable', problems });
    }
    await next();
  };
}

/** Returns the error for a request that no route takes. */
function findRouteError({ path, method }: Context, router?: Router<State>): ApiError {
  const allowed = new Set(router?.match(path, method).path.flatMap((layer) => layer.methods));
  if (allowed.size === 0) return notFound('route_not_found', `No resource exists at ${path}.`);
  const list = [...allowed].join(', ');
  const detail = `${method} is not allowed here. Allowed: ${list}.`;
  return new ApiError({
    status: 405,
    type: 'method_not_allowed',
    problems: [{ code: 'method_not_allowed', detail }],
    headers: { Allow: list },
  });
}
