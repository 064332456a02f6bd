import type { Slice } from '../domain/change.ts';
import { type Creation, decideCreate } from '../domain/create.ts';
import { toAmount } from '../domain/money.ts';
import { toWirePayment } from '../domain/payment.ts';
import { type MagicValue, readMagic } from '../domain/plan.ts';
import { quoteExchange, toWireQuote } from '../domain/quote.ts';
import type { Written } from '../domain/wire.ts';
import type { Books } from '../world/books.ts';
import { listTransactions } from '../world/history.ts';
import type { RequestRecord } from '../world/request-record.ts';
import { type Caller, type Departure, findBooksOf, transact, type World } from '../world/world.ts';
import type { Balance, OperationId } from '@service/contract';
import { type Body, readJsonBody } from './body.ts';
import { type Answer, type Call, CONNECTION_LOST } from './call.ts';
import { bindKey, keepAnswer, readIdempotencyKey, recallAnswer } from './idempotency.ts';
import { readTransactionQuery } from './query.ts';
import { showPage } from './pages.ts';
import { fail, Refused, succeed } from './respond.ts';
import { validatePayment, validateQuote } from './validate.ts';

/** Gives an operation what it works with. */
export interface Context {
  readonly world: World;
  readonly caller: Caller;
  readonly call: Call;
  /** Takes notes of the call for the journal. */
  readonly record: RequestRecord;
  readonly parameters: Readonly<Record<string, string>>;
  /** Fulfilled when the answer to this call has left. */
  readonly flushed: Promise<void>;
}

/** Answers a call of one operation; throws `Refused`. */
export type Operation = (context: Context) => Promise<Answer | typeof CONNECTION_LOST>;

/** Maps every operation of the contract to what the sandbox does for it. */
export const operationTable: Readonly<Record<OperationId, Operation>> = {
  createQuote,
  createPayment,
  getPayment,
  getBalance,
  listTransactions: listTransactionPage,
};

async function createQuote(context: Context): Promise<Answer> {
  const { books } = context.caller;
  const exchange = validateQuote(await readBody(context), books.profile);
  return succeed(books.profile.quoteStatus, books, toWireQuote(quoteExchange(exchange, books.profile)));
}

async function createPayment(context: Context): Promise<Answer | typeof CONNECTION_LOST> {
  const { world, caller, call, record, flushed } = context;
  const { books } = caller;
  const body = await readBody(context);
  const key = readIdempotencyKey(call, books.profile);
  const now = world.clock.now();
  const binding = key === undefined ? undefined : bindKey(key, body, now);
  const earlier = binding && recallAnswer(books, binding, now);
  if (earlier !== undefined) return earlier;

  const order = validatePayment(body, books.profile);
  const magic = readMagic(books.mode, order.beneficiary.account);
  const departure: Departure = magic === 'SIM-HOOK-FIRST' ? { ahead: true } : { after: flushed };
  const decide = (slice: Slice): Creation => decideCreate(order, slice, binding);
  const { outcome, announced } = transact(world, books, { decide, ...departure });
  if (!outcome.ok) throw new Refused(outcome.refusal);
  record.payment_id = outcome.payment.id;
  const { createStatus } = books.profile;
  const answer = succeed(createStatus, books, toWirePayment(outcome.payment, books.profile));
  if (binding !== undefined) keepAnswer(books, binding, answer);
  if (departure.ahead) await whileRunning(books, key, announced);
  return spoil(answer, magic, books);
}

/** Waits while the call of a key is known to be running. */
async function whileRunning(books: Books, key: string | undefined, promise: Promise<void>): Promise<void> {
  if (key !== undefined) books.running.add(key);
  await promise;
  if (key !== undefined) books.running.delete(key);
}

/** Loses or replaces the answer to a create whose payment was made, where its magic value asks for it. */
function spoil(answer: Answer, magic: MagicValue | undefined, books: Books): Answer | typeof CONNECTION_LOST {
  if (magic === 'SIM-DROP') return CONNECTION_LOST;
  if (magic === 'SIM-500') return fail({ type: 'server_error', message: 'The service failed.' }, books);
  return answer;
}

/** Reads the body of a call; what cannot be parsed is a validation error where the profile has it so. */
async function readBody({ call, caller, record }: Context): Promise<Body> {
  try {
    return await readJsonBody(call, record);
  } catch (error) {
    const isMalformed = error instanceof Refused && error.refusal.type === 'invalid_request_error';
    if (!isMalformed || caller.books.profile.malformedBody === 400) throw error;
    throw new Refused({ ...error.refusal, type: 'validation_error' });
  }
}

async function getPayment({ world, caller, parameters }: Context): Promise<Answer> {
  const { books } = caller;
  const id = parameters.payment_id ?? '';
  const payment = books.payments.get(id);
  if (payment !== undefined) return succeed(200, books, toWirePayment(payment, books.profile));
  if (books.profile.foreignPayment === 'permission_error' && findBooksOf(world, id) !== undefined) {
    throw new Refused({ type: 'permission_error', message: 'This payment is not yours.' });
  }
  throw new Refused({ type: 'not_found', message: 'There is no such payment.' });
}

async function getBalance({ caller }: Context): Promise<Answer> {
  const { books } = caller;
  const wallets = [...(books.ledger.get('wallet') ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const data: Written<Balance> = {
    balances: wallets.map(([currency, balance]) => ({ currency, balance: toAmount(balance) })),
  };
  return succeed(200, books, data);
}

async function listTransactionPage({ caller, call }: Context): Promise<Answer> {
  const { books } = caller;
  const asked = readTransactionQuery(new URLSearchParams(call.search), books.profile);
  const { data, headers } = showPage(listTransactions(books, asked), asked, books.profile);
  const answer = succeed(200, books, data);
  const links = [answer.headers.Link, headers.Link].filter((link) => link !== undefined);
  const joined = links.length > 0 ? { Link: links.join(', ') } : {};
  return { ...answer, headers: { ...answer.headers, ...headers, ...joined } };
}
