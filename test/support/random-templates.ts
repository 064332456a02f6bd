import type { ObjectTemplate, Template } from '@service/internal';
import type { Profile } from '@service/mock';
import type { Draw } from './random-draw.ts';

/** Adds fields to a documented object, and changes the order of its fields. */
export function widen(
  draw: Draw,
  documented: Template,
  extra: ObjectTemplate,
): 'documented' | ObjectTemplate {
  const fields = {
    ...(documented as ObjectTemplate),
    ...Object.fromEntries(draw.some(Object.entries(extra))),
  };
  return draw.isTrue(0.3) ? 'documented' : Object.fromEntries(draw.shuffle(Object.entries(fields)));
}

/** Returns some forms of ids with enough random characters or a counter. */
export const idForm = ({ pick, whole }: Draw): string =>
  pick([
    '{ulid}',
    '{uuid}',
    `{hex ${whole(16, 32)}}`,
    `{lower ${whole(14, 24)}}`,
    `{base62 ${whole(16, 24)}}`,
    `{digits ${whole(16, 20)}}`,
  ]);

/** The bodies of refusals that keep the type and the message. */
export const errorBodies: readonly ObjectTemplate[] = [
  {
    success: false,
    mode: '{mode}',
    error: { type: '{type}', message: '{message}' },
    errors: { '{each fields}': ['{problem}'] },
  },
  {
    success: false,
    mode: '{mode}',
    error: { message: '{message}', type: '{type}', status: '{status}' },
    details: ['{each fields}', { field: '{field}', problem: '{problem}' }],
  },
  { error: { type: '{type}', message: '{message}', code: '{type upper}' }, success: false, mode: '{mode}' },
];

/** The body of a validation error with the details of invalid fields. */
export const issueBody: ObjectTemplate = {
  success: false,
  mode: '{mode}',
  error: { type: '{type}', message: '{message}' },
  details: ['{each issues}', '{issue}'],
};

/** The fields of a row that a client needs. */
export const rowFields: ObjectTemplate = {
  id: '{id}',
  type: '{type}',
  status: '{status}',
  currency: '{currency}',
  amount: '{amount}',
  payment_id: '{payment_id}',
  reference: '{reference}',
  created_at: '{created_at}',
};

/** Other fields of a row. */
export const extraRowFields: ObjectTemplate = {
  fee: '{row_fee}',
  balance_after: '{balance_after}',
  direction: '{sign -=debit +=credit}',
  beneficiary: '{beneficiary_name}',
  sequence: '{number}',
};

/** The pages of some frameworks. */
export const pages: readonly Exclude<Profile['pagination'], string>[] = [
  {
    data: {
      count: '{total}',
      next: '{next_url}',
      previous: '{previous_url}',
      results: ['{each rows}', '{row}'],
    },
  },
  {
    data: ['{each rows}', '{row}'],
    beside: {
      links: { next: '{next_url}' },
      meta: { current_page: '{page}', last_page: '{last_page}', total: '{total}' },
    },
  },
  {
    data: { content: ['{each rows}', '{row}'], page: { number: '{page}', size: '{per_page}' } },
    beside: { links: { next: { '{case has_more}': { true: { href: '{next_path}' } } } } },
    first: 0,
    query: 'known',
  },
  {
    data: {
      transactions: ['{each rows}', '{row}'],
      pagination: { has_more: '{has_more}', next_cursor: '{next_cursor}' },
    },
    by: 'cursor',
  },
];
