import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A payments service on `node:http`, not the mock, whose reads of payments lag behind its creates. */
export interface LaggingService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly key: string;
  /** The request lines, in order. */
  readonly lines: readonly string[];
}

export interface LaggingServiceOptions {
  /** Milliseconds until reads return a new payment. */
  readonly lag: number;
  /** The number of first reads of a payment that respond with 404, whatever the time. */
  readonly hiddenReads?: number;
  /** Milliseconds from the create to `completed`; `processing` begins halfway. */
  readonly duration?: number;
  /** Flat fee in the currency to send. */
  readonly fee?: number;
  /** Balance of the USD wallet. */
  readonly balance?: number;
}

interface Payment {
  readonly id: string;
  readonly createdAt: number;
  reads: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

const RATE = 0.9;

export async function startLaggingService(options: LaggingServiceOptions): Promise<LaggingService> {
  const { lag, hiddenReads = 0, duration = 1_000, fee = 0.1, balance = 1_000 } = options;
  const key = `service_test_${crypto.randomUUID()}`;
  const payments = new Map<string, Payment>();
  const lines: string[] = [];
  let wallet = balance;

  const quote = (amount: number) => ({
    send_amount: amount,
    fee,
    rate: RATE,
    receive_amount: Math.max(0, Math.round((amount - fee) * RATE * 100) / 100),
  });
  const toResponse = ({ id, createdAt, fields }: Payment) => {
    const age = performance.now() - createdAt;
    const status = age < duration / 2 ? 'pending' : age < duration ? 'processing' : 'completed';
    return { id, status, ...fields };
  };
  const isVisible = ({ createdAt, reads }: Payment): boolean =>
    reads > hiddenReads && performance.now() - createdAt >= lag;

  function create(body: Record<string, unknown>, amount: number): Payment {
    const beneficiary = {
      name: body.beneficiary_name,
      bank: null,
      account: body.beneficiary_account ?? null,
      country: null,
    };
    const { from_currency, to_currency, purpose = null } = body;
    const id = `pay_test_${crypto.randomUUID().replaceAll('-', '')}`;
    const created_at = new Date().toISOString().replace(/\.\d+Z$/, '+00:00');
    const fields = { from_currency, to_currency, ...quote(amount), beneficiary, purpose, created_at };
    const payment = { id, createdAt: performance.now(), reads: 0, fields };
    payments.set(id, payment);
    wallet -= amount;
    return payment;
  }

  function list(): object {
    const rows = [...payments.values()].filter(isVisible).toReversed();
    const transactions = rows.map(({ id, fields }) => ({
      id: id.replace('pay', 'txn'),
      type: 'payment',
      status: 'completed',
      payment_id: id,
      currency: fields.from_currency,
      amount: -Number(fields.send_amount),
      reference: fields.purpose,
      created_at: fields.created_at,
    }));
    const pagination = {
      current_page: 1,
      per_page: 100,
      total: rows.length,
      total_pages: 1,
      has_more: false,
    };
    return { transactions, pagination };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = `${request.method} ${request.url?.replace('/api/v1', '')}`;
    lines.push(line);
    const send = (status: number, rest: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: status < 300, mode: 'test', ...rest }));
    };
    const sendError = (status: number, type: string): void =>
      send(status, { error: { type, message: `The request failed with ${type}.` } });
    const body = await readBody(request);
    const amount = Number(body?.amount);
    if (request.headers.authorization !== `Bearer ${key}`) return sendError(401, 'authentication_error');
    if (line === 'GET /balance') {
      return send(200, { data: { balances: [{ currency: 'USD', balance: wallet }] } });
    }
    if (line.startsWith('GET /transactions')) return send(200, { data: list() });
    const payment = payments.get(/^GET \/payments\/(\w+)$/.exec(line)?.[1] ?? '');
    if (payment) payment.reads += 1;
    if (payment && isVisible(payment)) return send(200, { data: toResponse(payment) });
    if (!line.startsWith('POST')) return sendError(404, 'not_found');
    if (!body || !(amount >= 0.01)) return sendError(422, 'validation_error');
    if (line === 'POST /quotes') {
      const { from_currency, to_currency } = body;
      return send(200, { data: { from_currency, to_currency, ...quote(amount) } });
    }
    if (line !== 'POST /payments') return sendError(404, 'not_found');
    if (amount > wallet) return sendError(422, 'insufficient_funds');
    return send(201, { data: toResponse(create(body, amount)) });
  }

  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    key,
    lines,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  try {
    return JSON.parse(await text(request)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
