import { type Context, Hono } from 'hono';

export interface BackendOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch?: typeof fetch;
}

/** Creates the back end of the page: three operations of the service, with the API key that no page may have. */
export function createBackend({ baseUrl, apiKey, fetch: send = fetch }: BackendOptions): Hono {
  const forward = async ({ req }: Context): Promise<Response> => {
    // Check here that the signed-in user may pay this supplier this amount.
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const body = req.method === 'POST' ? await req.text() : null;
    const path = req.path.replace('/backend/payments', '');
    const response = await send(`${baseUrl}${path}`, { method: req.method, headers, body });
    return new Response(response.body, {
      status: response.status,
      headers: { 'content-type': 'application/json' },
    });
  };
  return new Hono()
    .post('/backend/payments/quotes', forward)
    .post('/backend/payments/payments', forward)
    .get('/backend/payments/payments/:id', forward);
}
