import type { IncomingMessage } from 'node:http';
import { type Account, Payment } from './account.ts';
import { type Detail, readJson, Rejection, type Reply, toEasternTime } from './http.ts';
import { Money } from './money.ts';

type Body = Readonly<Record<string, unknown>>;

interface SavedCreate {
  readonly body: string;
  readonly payment: Payment;
}

const texts = ['beneficiary_bank', 'beneficiary_account', 'beneficiary_country', 'purpose'];
const MAX_PURPOSE = 60;

/** The operations of one account. */
export class Api {
  readonly account: Account;
  readonly #saved = new Map<string, SavedCreate>();

  constructor(account: Account) {
    this.account = account;
  }

  /** Handles a request of an authenticated client. */
  async handle(request: IncomingMessage, url: URL): Promise<Reply> {
    const path = url.pathname.replace(/^\/api\/v1/, '');
    const [, id] = /^\/payments\/([^/]+)$/.exec(path) ?? [];
    const handlers: Readonly<Record<string, Readonly<Record<string, () => Reply | Promise<Reply>>>>> = {
      '/quotes': { POST: async () => this.#quote(await readJson(request)) },
      '/payments': { POST: async () => this.#create(await readJson(request), request) },
      '/balance': { GET: () => this.#balance() },
      '/transactions': { GET: () => this.#list(url) },
      ...(id !== undefined && { [path]: { GET: () => this.#retrieve(id) } }),
    };
    const methods = handlers[path];
    if (!methods) throw new Rejection(404, 'route_not_found', 'There is no such route.');
    const handler = methods[request.method ?? ''];
    if (handler) return handler();
    const allow = Object.keys(methods).join(', ');
    throw new Rejection(405, 'method_not_allowed', `Use ${allow}.`, [], { allow });
  }

  #quote(body: Body): Reply {
    const { sent, to } = readSum(body, checkSum(body));
    const received = sent.convert(to);
    const figures = { send_amount: sent.toNumber(), fee: sent.fee.toNumber(), rate: toRate(sent, to) };
    const data = {
      from_currency: sent.currency,
      to_currency: to,
      ...figures,
      receive_amount: received.toNumber(),
    };
    return { data };
  }

  #create(body: Body, { headers }: IncomingMessage): Reply {
    const key = headers['idempotency-key'];
    const saved = this.#saved.get(String(key));
    if (saved && saved.body !== JSON.stringify(body)) {
      throw new Rejection(409, 'idempotency_conflict', 'This idempotency key belongs to another request.');
    }
    const payment = saved?.payment ?? this.#pay(body);
    if (key !== undefined) this.#saved.set(String(key), { body: JSON.stringify(body), payment });
    return {
      status: 202,
      data: showPayment(payment),
      headers: { location: `/api/v1/payments/${payment.id}` },
    };
  }

  #pay(body: Body): Payment {
    const details = [...checkSum(body), ...checkTexts(body)];
    const { sent, to } = readSum(body, details);
    const field = (name: string): string | null => (body[name] as string | null | undefined) ?? null;
    const beneficiary = {
      name: String(body['beneficiary_name']),
      bank: field('beneficiary_bank'),
      account: field('beneficiary_account'),
      country: field('beneficiary_country'),
    };
    const payment = new Payment(this.account.newPaymentId(), sent, to, beneficiary, field('purpose'));
    if (!this.account.canPay(payment)) {
      throw new Rejection(
        422,
        'insufficient_funds',
        `The ${sent.currency} wallet does not cover this payment.`,
      );
    }
    this.account.start(payment);
    return payment;
  }

  #retrieve(id: string): Reply {
    const payment = this.account.payments.get(id);
    if (!payment) throw new Rejection(404, 'not_found', 'There is no such payment.');
    return { data: showPayment(payment) };
  }

  #balance(): Reply {
    const balances = this.account.currencies.map((currency) => ({
      currency,
      balance: this.account.booked(currency).toNumber(),
    }));
    return { data: { balances } };
  }

  #list(url: URL): Reply {
    const { searchParams } = url;
    const read = (name: string, fallback: number, highest: number): number => {
      const value = Math.floor(Number(searchParams.get(name) ?? fallback));
      return Number.isNaN(value) ? fallback : Math.min(highest, Math.max(1, value));
    };
    const size = read('per_page', 20, 100);
    const page = read('page', 1, 1e6);
    const type = searchParams.get('type');
    const status = searchParams.get('status');
    const rows = this.account.postings
      .filter((row) => (type === null || row.type === type) && (status === null || status === 'BOOKED'))
      .toReversed();
    const last = Math.max(1, Math.ceil(rows.length / size));
    const links = Object.entries({ first: 1, prev: page - 1, next: page + 1, last })
      .filter(([, target]) => target >= 1 && target <= last)
      .map(([relation, target]) => {
        searchParams.set('page', String(target));
        return `<${url.href}>; rel="${relation}"`;
      });
    const data = rows.slice((page - 1) * size, page * size).map((row) => ({
      id: row.id,
      type: row.type,
      status: 'BOOKED',
      value: row.value.toString(),
      currency: row.value.currency,
      payment_id: row.paymentId,
      text: row.text,
      booked_at: toEasternTime(row.bookedAt),
    }));
    return { data, headers: { link: links.join(', '), 'x-total-count': String(rows.length) } };
  }
}

function checkSum(body: Body): Detail[] {
  const details: Detail[] = [];
  for (const field of ['from_currency', 'to_currency']) {
    const code = body[field];
    if (code === undefined) details.push({ field, reason: 'missing' });
    else if (typeof code !== 'string' || !Money.isKnown(code))
      details.push({ field, reason: 'unknown_currency' });
  }
  const { amount } = body;
  if (amount === undefined) details.push({ field: 'amount', reason: 'missing' });
  else if (typeof amount !== 'number') details.push({ field: 'amount', reason: 'not_a_number' });
  else if (amount < 0.01) details.push({ field: 'amount', reason: 'too_small' });
  return details;
}

function checkTexts(body: Body): Detail[] {
  const name = body['beneficiary_name'];
  const details: Detail[] = [];
  if (name === undefined) details.push({ field: 'beneficiary_name', reason: 'missing' });
  else if (typeof name !== 'string') details.push({ field: 'beneficiary_name', reason: 'not_a_text' });
  else if (name.trim() === '') details.push({ field: 'beneficiary_name', reason: 'empty' });
  for (const field of texts) {
    const value = body[field] ?? '';
    if (typeof value !== 'string') details.push({ field, reason: 'not_a_text' });
    else if (field === 'purpose' && value.length > MAX_PURPOSE) details.push({ field, reason: 'too_long' });
  }
  return details;
}

/** @throws {Rejection} when there are details, or the amount is too precise */
function readSum(body: Body, details: readonly Detail[]): { readonly sent: Money; readonly to: string } {
  const reject = (list: readonly Detail[]): Rejection =>
    new Rejection(422, 'validation_error', `Invalid: ${list.map(({ field }) => field).join(', ')}.`, list);
  if (details.length > 0) throw reject(details);
  try {
    const sent = Money.parse(String(body['amount']), String(body['from_currency']));
    return { sent, to: String(body['to_currency']) };
  } catch {
    throw reject([{ field: 'amount', reason: 'too_precise' }]);
  }
}

const toRate = (sent: Money, to: string): number => Number(sent.rateTo(to)) / 1e6;

function showPayment(payment: Payment): object {
  const { id, status, sent, received, beneficiary, purpose, createdAt } = payment;
  return {
    id,
    status,
    from_currency: sent.currency,
    to_currency: received.currency,
    send_amount: sent.toNumber(),
    rate: toRate(sent, received.currency),
    receive_amount: received.toNumber(),
    beneficiary,
    purpose,
    created_at: toEasternTime(createdAt),
  };
}
