// An application that pays and receives webhooks. Each mistake in this folder replaces one of its parts.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';

const { PORT, SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: apiKey } = process.env;
/** The folder of all files. */
export const state: string = process.env.STATE ?? '';
const secret = process.env.SERVICE_WEBHOOK_SECRET ?? '';

/** A response of the service, as far as it is used. */
interface Envelope {
  readonly success?: boolean;
  readonly data?: { readonly id?: string; readonly purpose?: string };
  readonly error?: { readonly type?: string };
}

export interface Order {
  readonly reference: string;
  readonly amount: string;
}

/** The result of a create. `rejected`: the service has made no payment. */
export type Outcome = 'paid' | 'rejected' | 'unknown';

/** The parts of the application. */
export interface Parts {
  /** Returns whether the reference was not claimed before. */
  readonly claim: (reference: string) => boolean;
  readonly pay: (order: Order) => Promise<Outcome>;
  /** Whether a reference can be paid again. */
  readonly isOpenAfter: (outcome: Outcome) => boolean;
  readonly isGenuine: (body: Buffer, signature: string) => boolean;
  /** Returns the reference of a payment. Undefined for a payment that is not ours. */
  readonly findReference: (id: string) => Promise<string | undefined>;
  /** Stores a completion, and responds. */
  readonly complete: (reference: string, acknowledge: () => void) => void;
}

export const place = (kind: string, reference: string): string => join(state, `${kind}-${reference}`);

/** Creates a file. Returns false if it exists: the file system decides, for all processes. */
export function createOnce(kind: string, reference: string): boolean {
  try {
    closeSync(openSync(place(kind, reference), 'wx'));
    return true;
  } catch {
    return false;
  }
}

/** Sends a create. */
export async function create({ reference, amount }: Order, key: string): Promise<Outcome> {
  const parties = { from_currency: 'USD', to_currency: 'EUR', beneficiary_name: 'Acme Supplies Ltd' };
  try {
    const response = await fetch(`${baseUrl}/payments`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body: JSON.stringify({ ...parties, amount: Number(amount), purpose: reference }),
      signal: AbortSignal.timeout(1_000),
    });
    const { success, data, error } = (await response.json()) as Envelope;
    if (success && data?.id) return 'paid';
    return [401, 403, 422, 429].includes(response.status) && error?.type ? 'rejected' : 'unknown';
  } catch {
    return 'unknown';
  }
}

/** Sends a read. */
export async function call(path: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${apiKey}` } });
  return { status: response.status, text: await response.text() };
}

/** Counts a completion. The count is the number of lines. */
export function store(reference: string): void {
  writeFileSync(place('handled', reference), 'completed\n');
}

export const correct: Parts = {
  claim: (reference) => createOnce('claim', reference),
  pay: (order) => create(order, order.reference),
  isOpenAfter: (outcome) => outcome === 'rejected',
  isGenuine(body, signature) {
    const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  },
  async findReference(id) {
    const { status, text } = await call(`/payments/${id}`);
    return status === 200 ? (JSON.parse(text) as Envelope).data?.purpose : undefined;
  },
  complete(reference, acknowledge) {
    store(reference);
    acknowledge();
  },
};

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function serve(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const respond = (status: number): void => void response.writeHead(status).end();
  const body = await readBody(request);
  const [, path, reference = '', amount = ''] = (request.url ?? '').split('/');
  if (path === 'payouts') {
    if (!parts.claim(reference)) return respond(200);
    const outcome = await parts.pay({ reference, amount });
    if (parts.isOpenAfter(outcome)) rmSync(place('claim', reference), { force: true });
    return respond(outcome === 'paid' ? 201 : 502);
  }
  if (!parts.isGenuine(body, String(request.headers['x-service-signature'] ?? ''))) return respond(401);
  const { event, data } = JSON.parse(body.toString()) as { event: string; data: { id: string } };
  const known = event === 'payment.completed' ? await parts.findReference(data.id) : undefined;
  if (known === undefined) return respond(200);
  return parts.complete(known, () => respond(200));
}

export function start(parts: Parts): void {
  const server = createServer((request, response) => void serve(parts, request, response));
  server.listen(Number(PORT));
}

if (import.meta.main) start(correct);
