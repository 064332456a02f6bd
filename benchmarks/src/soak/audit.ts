import type { Mock, Snapshot } from '@service/mock';
import type { Receiver } from './receiver.ts';
import type { Tenant } from './tenants.ts';

type AccountState = Snapshot['state']['accounts'][number]['modes']['test'];
type Payment = AccountState['payments'][number];

const statuses = ['pending', 'processing', 'completed', 'failed'] as const;

/** The number of payments of a round, and the violated invariants. */
export interface Audit {
  readonly payments: number;
  readonly violations: readonly string[];
}

/** Checks the ledger of an idle sandbox against docs/contract.md#money, and its events against the received ones. */
export async function audit(mock: Mock, receiver: Receiver, tenants: readonly Tenant[]): Promise<Audit> {
  const { accounts } = mock.sandbox.snapshot().state;
  const violations: string[] = [];
  let payments = 0;
  for (const tenant of tenants) {
    const accountState = accounts.find(({ id }) => id === tenant.account)?.modes[tenant.mode];
    if (accountState === undefined)
      throw new Error(`The account ${tenant.account} is missing in the snapshot.`);
    payments += accountState.payments.length;
    const found = [
      ...auditBalances(accountState, await readBalances(mock, tenant)),
      ...auditPayments(accountState, tenant),
      ...auditDeliveries(accountState, (body) => receiver.has(tenant.endpoint, body)),
    ];
    violations.push(...found.map((violation) => `${tenant.endpoint}: ${violation}`));
  }
  const { forged } = receiver.counts();
  if (forged > 0) violations.push(`${forged} events have an invalid signature`);
  return { payments, violations };
}

type Balances = readonly { readonly currency: string; readonly balance: number }[];

async function readBalances(mock: Mock, { key }: Tenant): Promise<Balances> {
  const response = await mock.fetch(`${mock.baseUrl}/balance`, { headers: { 'x-api-key': key() } });
  return ((await response.json()) as { data: { balances: Balances } }).data.balances;
}

function auditBalances({ transactions }: AccountState, reported: Balances): string[] {
  const balances = new Map(reported.map(({ currency }) => [currency, 0n]));
  const violations: string[] = [];
  for (const { currency, amount, balance_after } of transactions) {
    const balance = (balances.get(currency) ?? 0n) + BigInt(amount);
    balances.set(currency, balance);
    if (balance !== BigInt(balance_after) || balance < 0n)
      violations.push(`a ledger row of ${currency} has the wrong balance`);
  }
  const wrong = reported.filter(({ currency, balance }) => toHundredths(balance) !== balances.get(currency));
  return [
    ...violations,
    ...wrong.map(({ currency }) => `the balance of ${currency} differs from the ledger`),
  ];
}

/** Converts an amount through its decimal text, because `amount * 100` is not exact for every double. */
function toHundredths(amount: number): bigint {
  return BigInt(amount.toFixed(2).replace('.', ''));
}

/** Every payment has one debit, one refund if it failed, and an event per status. Every payment of a 201 exists. */
function auditPayments({ payments, transactions, deliveries }: AccountState, { paid }: Tenant): string[] {
  const rows = groupByPayment(transactions);
  const events = groupByPayment(deliveries);
  const violations = payments.flatMap((payment) => {
    const rowAmounts = (rows.get(payment.id) ?? []).map(({ amount }) => amount).join();
    const { send_amount: amount, history } = payment;
    const wanted = 'failed' in history ? `-${amount},${amount}` : `-${amount}`;
    const sent = (events.get(payment.id) ?? []).map(({ status }) => status).join();
    return [
      ...(rowAmounts === wanted ? [] : [`the rows of ${payment.id} are ${rowAmounts}, not ${wanted}`]),
      ...(sent === listEvents(payment)
        ? []
        : [`the events of ${payment.id} are ${sent}, not ${listEvents(payment)}`]),
    ];
  });
  const byId = new Set(payments.map(({ id }) => id));
  const lost = [...paid.values()].filter((id) => !byId.has(id));
  const purposes = new Set(payments.map(({ purpose }) => purpose));
  const duplicates = payments.length - purposes.size;
  return [
    ...violations,
    ...lost.map((id) => `${id} was created and is missing`),
    ...(duplicates === 0 ? [] : [`${duplicates} creates made a second payment`]),
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
  const reached = statuses.filter((status) => status in history);
  return reached.flatMap((status) => Array.from({ length: copies }, () => status)).join();
}

function auditDeliveries({ deliveries }: AccountState, isReceived: (body: string) => boolean): string[] {
  const acknowledged = deliveries.filter(({ state }) => state === 'acknowledged');
  const missing = acknowledged.filter(({ body }) => !isReceived(body)).length;
  const unsent = deliveries.filter(({ state }) => state === 'queued').length;
  return [
    ...(missing === 0 ? [] : [`${missing} acknowledged events were not received`]),
    ...(unsent === 0 ? [] : [`${unsent} events were never sent`]),
  ];
}
