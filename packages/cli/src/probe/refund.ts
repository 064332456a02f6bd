import { type Bench, demand, pay, quoteWell, readId } from './bench.ts';
import { isLate, type Purse, writeTrail } from './debit.ts';
import { type Finding, found, Inconclusive, unknown } from './finding.ts';
import { type Micro, toMicro, writeMicro } from './micro.ts';
import { pauseAfter, readBalance, watch } from './watch.ts';

/** Reads what the wallet has, and what a payment of the plan may take. Throws Inconclusive. */
export async function readPurse(bench: Bench): Promise<Purse & { readonly fee: Micro }> {
  const quote = await quoteWell(bench);
  const [send, fee] = [toMicro(quote.send_amount), toMicro(quote.fee)];
  if (send === undefined || fee === undefined) throw new Inconclusive('a figure of a quote cannot be read');
  return { before: await readBalance(bench), sizes: [send, send + fee], fee };
}

/** Lets payments fail, and looks at what comes back to the wallet. */
export async function lookAtRefund(bench: Bench): Promise<Finding[]> {
  const { failing, returning } = bench.plan;
  const failure = await fail(bench, failing, ['completed', 'failed']);
  if (failure !== undefined) return [judgeRefund(failure)];
  // Where the wallet is debited at the end, only a payment that is returned shows a refund.
  const back = await fail(bench, returning, ['failed']);
  return [back === undefined ? unknown('refund', 'no payment that was debited failed') : judgeRefund(back)];
}

type Failure = {
  readonly before: Micro;
  readonly debited: Micro;
  readonly after: Micro;
  readonly fee: Micro;
};

/** Lets a payment fail; undefined when it was not debited. Throws Inconclusive when it does not fail, or others draw too. */
async function fail(bench: Bench, account: string, until: readonly string[]): Promise<Failure | undefined> {
  const { before, sizes, fee } = await readPurse(bench);
  const { id } = demand(await pay(bench, { beneficiary_account: account }), 'POST /payments');
  const { glances } = await watch(bench, readId(id), until);
  const last = glances.at(-1);
  if (last?.status !== 'failed') {
    throw new Inconclusive(
      `a payment to the account ${account} did not fail; --failing and --returning name accounts with which payments do`,
    );
  }
  if (glances.every(({ balance }) => balance === before)) return undefined;
  const changes = glances.filter(({ status, balance }) => status !== 'failed' && balance !== before);
  const [debited, ...more] = new Set(changes.map(({ balance }) => balance));
  const isOurs = debited !== undefined && more.length === 0 && sizes.includes(before - debited);
  if (!isOurs || isLate(glances, before))
    throw new Inconclusive(`the wallet moves for other reasons too, or late: ${writeTrail(glances, before)}`);
  return { before, debited, after: await awaitRefund(bench, { before, debited }), fee };
}

const SETTLING = 2_000;

/** Waits for the money, which may come later than the status, and in parts; no longer than the plan watches a payment. */
async function awaitRefund(
  bench: Bench,
  { before, debited }: Pick<Failure, 'before' | 'debited'>,
): Promise<Micro> {
  const { now, sleep, signal, plan } = bench;
  const start = now();
  let balance = await readBalance(bench);
  while (balance === debited && now() - start <= plan.patience) {
    await sleep(pauseAfter(now() - start), signal);
    balance = await readBalance(bench);
  }
  if (balance === before || balance === debited) return balance;
  await sleep(SETTLING, signal);
  return readBalance(bench);
}

function judgeRefund({ before, debited, after, fee }: Failure): Finding {
  const evidence = `before ${writeMicro(before)}, debited ${writeMicro(debited)}, failed ${writeMicro(after)}, fee ${writeMicro(fee)}`;
  if (after === before)
    return fee > 0n ? found('refund', 'full', evidence) : unknown('refund', evidence, ['full', 'lessFee']);
  if (after === debited) return found('refund', 'none', evidence);
  if (after === before - fee) return found('refund', 'lessFee', evidence);
  return unknown('refund', `a part came back, or the wallet moves for other reasons too: ${evidence}`);
}
