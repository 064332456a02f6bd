import type { Mock, Snapshot } from '@service/mock';
import type { Receiver } from './receiver.ts';
import type { Tenant } from './tenants.ts';

type Books = Snapshot['state']['accounts'][number]['modes']['test'];
type Payment = Books['payments'][number];

const statuses = ['pending', 'processing', 'completed', 'failed'] as const;

/** Holds what a round left, and what of it must not be. */
export interface Audit {
  readonly payments: number;
  readonly violations: readonly string[];
}

/** Audits all that a sandbox holds while nobody calls: the invariants of contract.md 9. */
export async function audit(mock: Mock, receiver: Receiver, tenants: readonly Tenant[]): Promise<Audit> {
  const { accounts } = mock.sandbox.snapshot().state;
  const violations: string[] = [];
  let payments = 0;
  for (const tenant of tenants) {
    const books = accounts.find(({ id }) => id === tenant.account)?.modes[tenant.mode];
    if (books === undefined) throw new Error('an account is missing');
    payments += books.payments.length;
    const found = [
      ...auditBalances(books, await readBalances(mock, tenant)),
      ...auditPayments(books, tenant),
      ...auditDeliveries(books, (body) => receiver.has(tenant.endpoint, body)),
    ];
    violations.push(...found.map((violation) => `${tenant.endpoint}: ${violation}`));
  }
  const { forged } = receiver.counts();
  if (forged > 0) violations.push(`${forged} events did not verify`);
  return { payments, violations };
}

type Balances = readonly { readonly currency: string; readonly balance: number }[];

async function readBalances(mock: Mock, { key }: Tenant): Promise<Balances> {
  const response = await mock.fetch(`${mock.baseUrl}/balance`, { headers: { 'x-api-key': key() } });
  return ((await response.json()) as { data: { balances: Balances } }).data.balances;
}

function auditBalances({ transactions }: Books, shown: Balances): string[] {
  const balances = new Map(shown.map(({ currency }) => [currency, 0n]));
  const violations: string[] = [];
  for (const { currency, amount, balance_after } of transactions) {
    const balance = (balances.get(currency) ?? 0n) + BigInt(amount);
    balances.set(currency, balance);
    if (balance !== BigInt(balance_after) || balance < 0n) violations.push(`a row of ${currency} is off`);
  }
  const wrong = shown.filter(({ currency, balance }) => toHundredths(balance) !== balances.get(currency));
  return [...violations, ...wrong.map(({ currency }) => `the balance of ${currency} is off`)];
}

/** Reads an amount through its text: two decimals survive a double, a product with 100 does not always. */
function toHundredths(amount: number): bigint {
  return BigInt(amount.toFixed(2).replace('.', ''));
}

/** Every payment has its debit, one refund if it failed, and events for its whole history; none that was answered is missing. */
function auditPayments({ payments, transactions, deliveries }: Books, { paid }: Tenant): string[] {
  const rows = groupByPayment(transactions);
  const events = groupByPayment(deliveries);
  const violations = payments.flatMap((payment) => {
    const amounts = (rows.get(payment.id) ?? []).map(({ amount }) => amount).join();
    const { send_amount: sent, history } = payment;
    const wanted = 'failed' in history ? `-${sent},${sent}` : `-${sent}`;
    const seen = (events.get(payment.id) ?? []).map(({ status }) => status).join();
    return [
      ...(amounts === wanted ? [] : [`the rows of ${payment.id} are ${amounts}, not ${wanted}`]),
      ...(seen === listEvents(payment)
        ? []
        : [`the events of ${payment.id} are ${seen}, not ${listEvents(payment)}`]),
    ];
  });
  const byId = new Set(payments.map(({ id }) => id));
  const lost = [...paid.values()].filter((id) => !byId.has(id));
  const purposes = new Set(payments.map(({ purpose }) => purpose));
  const doubled = payments.length - purposes.size;
  return [
    ...violations,
    ...lost.map((id) => `${id} was answered and is gone`),
    ...(doubled === 0 ? [] : [`${doubled} creates made two payments`]),
  ];
}

function groupByPayment<Item extends { readonly payment_id: string | null }>(
  items: readonly Item[],
): Map<string | null, Item[]> {
  const groups = new Map<string | null, Item[]>();
  for (const item of items) {
    const group = groups.get(item.payment_id);
    if (group === undefined) groups.set(item.payment_id, [item]);
    else group.push(item);
  }
  return groups;
}

function listEvents({ history, mode, beneficiary }: Payment): string {
  const copies = mode === 'test' && beneficiary.account === 'SIM-HOOK-DUP' ? 2 : 1;
  const taken = statuses.filter((status) => status in history);
  return taken.flatMap((status) => Array.from({ length: copies }, () => status)).join();
}

function auditDeliveries({ deliveries }: Books, isReceived: (body: string) => boolean): string[] {
  const acknowledged = deliveries.filter(({ state }) => state === 'acknowledged');
  const missing = acknowledged.filter(({ body }) => !isReceived(body)).length;
  const untried = deliveries.filter(({ state }) => state === 'queued').length;
  return [
    ...(missing === 0 ? [] : [`${missing} acknowledged events were not received`]),
    ...(untried === 0 ? [] : [`${untried} events were never tried`]),
  ];
}
