import type { Slice } from '../domain/change.ts';
import { type Creation, decideCreate } from '../domain/create.ts';
import { toAmount } from '../domain/money.ts';
import { toWirePayment } from '../domain/payment.ts';
import { type MagicValue, readMagic } from '../domain/plan.ts';
import { quoteExchange, toWireQuote } from '../domain/quote.ts';
import type { Written } from '../domain/wire.ts';
import { listTransactions } from '../world/history.ts';
import { type Caller, type Departure, transact, type World } from '../world/world.ts';
import type { Balance, Mode, OperationId } from '@service/contract';
import { readJsonBody } from './body.ts';
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

async function createQuote({ caller, call }: Context): Promise<Answer> {
  const exchange = validateQuote(await readJsonBody(call), caller.books.profile);
  return succeed(200, caller.books.mode, toWireQuote(quoteExchange(exchange, caller.books.profile)));
}

async function createPayment(context: Context): Promise<Answer | typeof CONNECTION_LOST> {
  const { world, caller, call, flushed } = context;
  const { books } = caller;
  const body = await readJsonBody(call);
  const key = readIdempotencyKey(call);
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
  const answer = succeed(201, books.mode, toWirePayment(outcome.payment, books.profile));
  if (departure.ahead) await announced;
  if (binding !== undefined) keepAnswer(books, binding, answer);
  return spoil(answer, magic, books.mode);
}

/** Loses or replaces the answer to a create whose payment was made, where its magic value asks for it. */
function spoil(answer: Answer, magic: MagicValue | undefined, mode: Mode): Answer | typeof CONNECTION_LOST {
  if (magic === 'SIM-DROP') return CONNECTION_LOST;
  if (magic === 'SIM-500') return fail({ type: 'server_error', message: 'The service failed.' }, mode);
  return answer;
}

async function getPayment({ caller, parameters }: Context): Promise<Answer> {
  const payment = caller.books.payments.get(parameters.payment_id ?? '');
  if (payment === undefined) throw new Refused({ type: 'not_found', message: 'There is no such payment.' });
  return succeed(200, caller.books.mode, toWirePayment(payment, caller.books.profile));
}

async function getBalance({ caller }: Context): Promise<Answer> {
  const wallets = [...(caller.books.ledger.get('wallet') ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const data: Written<Balance> = {
    balances: wallets.map(([currency, balance]) => ({ currency, balance: toAmount(balance) })),
  };
  return succeed(200, caller.books.mode, data);
}

async function listTransactionPage({ caller, call }: Context): Promise<Answer> {
  const { books } = caller;
  const asked = readTransactionQuery(new URLSearchParams(call.search), books.profile);
  const { data, headers } = showPage(listTransactions(books, asked), asked, books.profile);
  return { ...succeed(200, books.mode, data), headers };
}
