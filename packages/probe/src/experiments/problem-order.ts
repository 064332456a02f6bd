import type { IssueKind, ProblemOrder } from '@service/internal';
import type { ProbeContext } from '../context.ts';
import { isRefusal } from '../raw-client.ts';
import { groupProblems } from '../templates/problem-classes.ts';
import type { IssueSample } from '../templates/issues.ts';
import { listNamed, type Path, type PlacedFields, readPath } from '../templates/places.ts';
import { toSample } from '../templates/refusal.ts';

/** The required fields of a quote, in the order of the checks of the mock. */
const ofQuote = ['from_currency', 'to_currency', 'amount'];

/** Sends a payment, or a quote, without its required fields. Returns undefined if it is not refused. */
export async function refuseSeveral({ send, plan }: ProbeContext): Promise<PlacedFields | undefined> {
  const response = await send(plan.payments ? '/payments' : '/quotes', { body: {} });
  const fields = plan.payments ? [...ofQuote, 'beneficiary_name'] : ofQuote;
  return isRefusal(response) ? { json: response.body ?? response.text, fields } : undefined;
}

/** The invalid fields of the responses so far. */
interface OrderContext {
  readonly several: PlacedFields | undefined;
  /** The place of the details of fields. */
  readonly path: Path | undefined;
  /** The responses with the same codes. */
  readonly groups: readonly { readonly samples: readonly IssueSample[] }[];
}

/** Learns whether responses have all problems or the first one, and the order of the checks. */
export async function learnOrder(context: ProbeContext, given: OrderContext): Promise<ProblemOrder> {
  const { several, path } = given;
  if (several === undefined) return {};
  const part = (path && readPath(several.json, path)) ?? several.json;
  const named = listNamed(part, several.fields);
  const isFirst = named.length === 1;
  const fields = isFirst ? await followFirst(context, several.fields, { named, path }) : named;
  const isUsual = fields.every((field, index) => field === several.fields[index]);
  const { first, last } = await findChecks(context, given, fields);
  return {
    ...(isFirst && { listed: 'first' as const }),
    ...(!isUsual && { fields }),
    ...(first.length > 0 && { first }),
    ...(last.length > 0 && { last }),
  };
}

/** Adds the field that a response names, until a response names no other one. */
async function followFirst(
  { send, plan }: ProbeContext,
  required: readonly string[],
  { named, path }: { readonly named: readonly string[]; readonly path: Path | undefined },
): Promise<string[]> {
  const values: Readonly<Record<string, unknown>> = {
    from_currency: plan.from,
    to_currency: plan.to,
    amount: Number(plan.amount),
    beneficiary_name: plan.name,
  };
  const fields = [...named];
  // The last field must be absent, so that no payment is created.
  while (fields.length < required.length - 1) {
    const body = Object.fromEntries(fields.map((field) => [field, values[field]]));
    const { body: json, text } = await send(plan.payments ? '/payments' : '/quotes', { body });
    const part = (path && readPath(json, path)) ?? json ?? text;
    const [next, ...others] = listNamed(
      part,
      required.filter((field) => !fields.includes(field)),
    );
    if (next === undefined || others.length > 0) return fields;
    fields.push(next);
  }
  return [...fields, ...required.filter((field) => !fields.includes(field))];
}

/** Returns the kinds whose responses differ from most others, and that are checked before or after the others. */
async function findChecks(
  { send }: ProbeContext,
  { groups, path }: OrderContext,
  fields: readonly string[],
): Promise<{ readonly first: readonly IssueKind[]; readonly last: readonly IssueKind[] }> {
  const [usual = [], ...others] = groups.map(({ samples }) => samples.filter(isQuote));
  const [first, last]: [IssueKind[], IssueKind[]] = [[], []];
  const isLater = (one: IssueSample, other: IssueSample): boolean =>
    fields.indexOf(one.field) > fields.indexOf(other.field);
  /** Returns whether the problem of a group wins over a usual one. Undefined if no two fields have them. */
  const wins = async (
    group: readonly IssueSample[],
    isPair: (own: IssueSample, other: IssueSample) => boolean,
  ): Promise<boolean | undefined> => {
    const pairs = group.flatMap((own) => usual.map((other) => [own, other] as const));
    const [own, other] = pairs.find(([one, two]) => one.field !== two.field && isPair(one, two)) ?? [];
    if (own === undefined || other === undefined) return undefined;
    const request = { ...(other.request as object), [own.field]: own.value };
    const response = await send('/quotes', { body: request });
    if (!isRefusal(response)) return undefined;
    const both = { ...own, request, sample: toSample(response, [own.field]) };
    return isOfGroup(both, { group, usual, path });
  };
  for (const group of others) {
    const kinds = group.map(({ kind }) => kind);
    // By their fields, the usual problem would be first, and then the other one.
    if ((await wins(group, isLater)) === true) first.push(...kinds);
    else if ((await wins(group, (own, other) => isLater(other, own))) === false) last.push(...kinds);
  }
  return { first: [...new Set(first)], last: [...new Set(last)] };
}

/** Returns whether a problem is one of a field of a quote that can be added to another problem. */
function isQuote({ field, value, kind }: IssueSample): boolean {
  const isText = kind.startsWith('text') || field === 'beneficiary_name';
  return value !== undefined && ['from_currency', 'to_currency', 'amount'].includes(field) && !isText;
}

interface GroupContext {
  readonly group: readonly IssueSample[];
  readonly usual: readonly IssueSample[];
  readonly path: Path | undefined;
}

/** Returns whether the response to two problems has the codes of a group. Undefined if it has those of neither group. */
function isOfGroup(both: IssueSample, { group, usual, path }: GroupContext): boolean | undefined {
  const found = groupProblems([...group, ...usual, both], path).find((each) => each.includes(both)) ?? [];
  if (found.some((each) => group.includes(each))) return true;
  return found.some((each) => usual.includes(each)) ? false : undefined;
}
