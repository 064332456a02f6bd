import type { Example, ObjectExample } from '@service/internal';
import type { Profile } from '@service/mock';

/** The bodies of refusals that keep the type and the message. */
export const errorBodies: readonly ObjectExample[] = [
  {
    success: false,
    mode: '{mode}',
    error: { message: '{message}', type: '{type}', status: '{status}' },
    trace: { id: '{request_id}', at: '{now}' },
  },
  { error: { type: '{type}', message: '{message}', path: '{path}' }, success: false, mode: '{mode}' },
];

/** The fields of a row that a client needs. */
export const rowFields: ObjectExample = {
  id: '{id}',
  status: '{status}',
  currency: '{currency}',
  amount: '{amount}',
  payment_id: '{payment_id}',
  reference: '{purpose}',
  created_at: '{created_at}',
};

/** Other fields of a row. */
export const extraRowFields: ObjectExample = {
  fee: '{fee}',
  balance_after: '{balance_after}',
  beneficiary: '{beneficiary_name}',
  sequence: '{number}',
};

/** The pages of some frameworks. */
export const pages: readonly Exclude<Profile['pagination'], string>[] = [
  toPage({ count: '{total}', next: '{next url}', previous: '{previous url}', results: '{rows}' }),
  {
    body: {
      success: true,
      mode: '{mode}',
      data: '{rows}',
      links: { next: '{next url}' },
      meta: { current_page: '{page}', last_page: '{last_page}', total: '{total}' },
    },
  },
  {
    ...toPage({
      content: '{rows}',
      page: { number: '{page}', size: '{per_page}', totalPages: '{total_pages}' },
    }),
    first: 0,
  },
  {
    ...toPage({
      transactions: '{rows}',
      pagination: { has_more: '{has_more}', next_cursor: '{next_cursor}' },
    }),
    by: 'cursor',
  },
];

function toPage(data: Example): { readonly body: Example } {
  return { body: { success: true, mode: '{mode}', data } };
}
