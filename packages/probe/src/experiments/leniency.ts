import { toRecord, writeCents } from '@service/internal';
import { findLackingAmount, isSameRefusal, refuseForFunds, refusePayment } from '../balances.ts';
import {
  createTestPayment,
  type Experiment,
  type ProbeContext,
  requestQuote,
  requireData,
  requireQuote,
} from '../context.ts';
import { type Finding, found, other, unknown } from '../finding.ts';
import { toBody } from '../quote.ts';
import { describeResponse, formatValue, isRefusal, type RawResponse } from '../raw-client.ts';
import { noDecimals } from './no-decimals.ts';

/** The experiments about quotes that only some services accept. */
export const leniency: readonly Experiment[] = [
  { settings: ['amountText'], run: probeAmountText },
  { settings: ['mediaTypes'], run: probeMediaTypes },
  { settings: ['amountLimits'], run: probeAmountLimits },
];

/** The experiment about texts of payments. A payment of it must not disturb the measured debits of others. */
export const texts: readonly Experiment[] = [
  { settings: ['textLimit', 'emptyText'], pays: true, run: probeTexts },
];

async function probeAmountText(context: ProbeContext): Promise<Finding[]> {
  const { amount } = context.plan;
  const response = await requestQuote(context, { amount });
  await requireQuote(context);
  const evidence = `an amount of ${JSON.stringify(amount)} as text: ${describeResponse(response)}`;
  if (response.accepted) return [found('amountText', 'accept', evidence)];
  return [isRefusal(response) ? found('amountText', 'reject', evidence) : other('amountText', evidence)];
}

async function probeMediaTypes(context: ProbeContext): Promise<Finding[]> {
  const { send, plan } = context;
  const body = { from_currency: plan.from, to_currency: plan.to, amount: Number(plan.amount) };
  const response = await send('/quotes', { body, headers: { 'content-type': 'text/plain' } });
  await requireQuote(context);
  const evidence = `JSON as text/plain: ${describeResponse(response)}`;
  if (response.accepted) return [found('mediaTypes', 'any', evidence)];
  return [response.status === 415 ? found('mediaTypes', 'json', evidence) : other('mediaTypes', evidence)];
}

const SMALLEST = 1n;
/** The largest amount of the contract, and the largest one whose cents a double represents. */
const [USUAL, LARGEST] = [99_999_999_999n, 999_999_999_999_999n];

/** Looks for the smallest and the largest amount of a quote by bisection. */
async function probeAmountLimits(context: ProbeContext): Promise<Finding[]> {
  const { from, to } = context.plan;
  await requireQuote(context);
  const unit = noDecimals.includes(from) ? 100n : 1n;
  const accepts = async (cents: bigint): Promise<boolean> =>
    (await requestQuote(context, toBody({ from, to }, cents))).accepted;
  const known = (BigInt(Math.round(Number(context.plan.amount) * 100)) / unit) * unit;
  const minimum = (await accepts(SMALLEST * unit))
    ? SMALLEST * unit
    : await bisect(SMALLEST * unit, known, { accepts, unit });
  const largest = (USUAL / unit) * unit;
  const isLarger = await accepts(largest);
  const hasMore = isLarger && (await accepts(largest + unit));
  const most = (LARGEST / unit) * unit;
  const maximum =
    isLarger && !hasMore ? largest : await findMaximum({ accepts, unit, known, isLarger, most });
  const limits = { minimum: writeCents(minimum), maximum: writeCents(maximum) };
  const note = maximum === most ? '; larger amounts were not asked' : '';
  return [found('amountLimits', limits, `quotes from ${limits.minimum} to ${limits.maximum} ${from}${note}`)];
}

interface Search {
  readonly accepts: (value: bigint) => Promise<boolean>;
  readonly unit: bigint;
}

/** Looks for the largest accepted amount above or below the usual one. */
async function findMaximum({
  known,
  isLarger,
  most,
  ...search
}: Search & { readonly known: bigint; readonly isLarger: boolean; readonly most: bigint }): Promise<bigint> {
  if (isLarger && (await search.accepts(most))) return most;
  // Most limits are round.
  let accepted = isLarger ? (USUAL / search.unit) * search.unit : known;
  let rejected = isLarger ? most : (USUAL / search.unit) * search.unit;
  for (let power = 10n ** 3n; power < rejected; power *= 10n) {
    if (power <= accepted) continue;
    if (await search.accepts(power)) accepted = power;
    else rejected = power;
  }
  for (const near of [accepted, accepted * 2n, accepted * 5n]) {
    if (near > accepted && near < rejected && (await search.accepts(near))) accepted = near;
    if (!(await search.accepts(accepted + search.unit))) return accepted;
  }
  return bisect(rejected, accepted, search);
}

/** Returns the accepted value that is next to the rejected ones. */
async function bisect(rejected: bigint, accepted: bigint, { accepts, unit }: Search): Promise<bigint> {
  let [outside, inside] = [rejected / unit, accepted / unit];
  while (outside - inside > 1n || inside - outside > 1n) {
    const middle = (outside + inside) / 2n;
    if (await accepts(middle * unit)) inside = middle;
    else outside = middle;
  }
  return inside * unit;
}

const USUAL_TEXT = 255;
const LONGEST_TEXT = 10_000;

/**
 * Measures the texts of creates that exceed the balance: a service that accepts the text rejects them for lack of
 * funds, so they create no payment.
 */
async function probeTexts(context: ProbeContext): Promise<Finding[]> {
  const rejectsText = await createTextCheck(context);
  return [await probeTextLimit(rejectsText), await probeEmptyText(context, rejectsText)];
}

type TextCheck = (purpose: string) => Promise<RawResponse | undefined>;

/** Creates a function that returns the response that rejects a purpose, or undefined if the purpose is accepted. */
async function createTextCheck(context: ProbeContext): Promise<TextCheck> {
  const amount = await findLackingAmount(context);
  const lacking = await refuseForFunds(context);
  return async (purpose) => {
    const response = await refusePayment(context, { amount, purpose });
    return isSameRefusal(response, lacking) ? undefined : response;
  };
}

async function probeTextLimit(rejects: TextCheck): Promise<Finding> {
  const accepts = async (length: bigint): Promise<boolean> =>
    (await rejects('x'.repeat(Number(length)))) === undefined;
  const isUsual = !(await accepts(BigInt(USUAL_TEXT) + 1n)) && (await accepts(BigInt(USUAL_TEXT)));
  if (isUsual)
    return found('textLimit', USUAL_TEXT, 'a purpose of 255 characters is accepted, one of 256 is not');
  if (await accepts(BigInt(LONGEST_TEXT)))
    return unknown('textLimit', `a purpose of ${LONGEST_TEXT} characters is accepted`);
  const limit = Number(await bisect(BigInt(LONGEST_TEXT), 1n, { accepts, unit: 1n }));
  return found(
    'textLimit',
    limit,
    `a purpose of ${limit} characters is accepted, one of ${limit + 1} is not`,
  );
}

/** Creates a payment with an empty purpose, if the service accepts it. */
async function probeEmptyText(context: ProbeContext, rejects: TextCheck): Promise<Finding> {
  const rejection = await rejects('');
  if (rejection !== undefined)
    return found('emptyText', 'reject', `an empty purpose: ${describeResponse(rejection)}`);
  const { purpose, beneficiary } = requireData(
    await createTestPayment(context, { purpose: '' }),
    'POST /payments with an empty purpose',
  );
  const { bank } = toRecord(beneficiary);
  // A service can write absent texts in several forms, so that the same field of another payment counts.
  const without = context.made.find(
    ({ known }) => known.purpose?.kind === 'text' && known.purpose.text === null,
  );
  const [name, absent] = without ? ['purpose', without.response.data.purpose] : ['bank', bank];
  const evidence = `an empty purpose: "purpose": ${formatValue(purpose)}; an absent ${name}: ${formatValue(absent)}`;
  if (purpose === '' && absent === '') return unknown('emptyText', evidence, ['keep', 'absent']);
  if (purpose === '') return found('emptyText', 'keep', evidence);
  return purpose === absent ? found('emptyText', 'absent', evidence) : other('emptyText', evidence);
}
