import type { Example, ObjectExample } from './example.ts';
import type { PageExample, RowExamples, TimestampForm } from './profile.ts';

// The examples behind the names of a profile, the default first.

/** The forms of timestamps by name. */
export const namedTimestamps: Readonly<
  Record<'offset' | 'zulu' | 'compactOffset' | 'fraction', TimestampForm>
> = {
  offset: { digits: 0, zone: '+00:00' },
  zulu: { digits: 0, zone: 'Z' },
  compactOffset: { digits: 0, zone: '+0000' },
  fraction: { digits: 3, zone: '+00:00' },
};

/** Returns the documented row of a movement. */
function fullRow(type: string, fields: ObjectExample = {}): Example {
  return {
    id: '{id}',
    type,
    status: 'completed',
    currency: '{currency}',
    amount: '{amount}',
    fee: null,
    balance_after: '{balance_after}',
    payment_id: '{payment_id}',
    reference: '{purpose}',
    created_at: '{created_at}',
    ...fields,
  };
}

function minimalRow(type: string, status = 'completed'): Example {
  return {
    id: '{id}',
    type,
    status,
    currency: '{currency}',
    amount: '{amount positive}',
    created_at: '{created_at}',
  };
}

/** The rows of the transaction list by name. */
export const namedRows: Readonly<Record<'full' | 'minimal', RowExamples>> = {
  full: {
    debit: [fullRow('payment', { status: '{status}', fee: '{fee}' })],
    refund: [fullRow('refund')],
    deposit: [fullRow('deposit')],
    adjustment: [fullRow('adjustment')],
  },
  minimal: {
    debit: [minimalRow('payment', '{status}')],
    refund: [minimalRow('refund')],
    deposit: [minimalRow('deposit')],
    adjustment: [minimalRow('adjustment')],
  },
};

/** Returns a body with the documented envelope. */
function envelope(data: Example): Example {
  return { success: true, mode: '{mode}', data };
}

/** The pages of the transaction list by name. */
export const namedPages: Readonly<Record<'page' | 'laravel' | 'cursor' | 'array' | 'link', PageExample>> = {
  page: {
    body: envelope({
      transactions: '{rows}',
      pagination: {
        current_page: '{page}',
        per_page: '{per_page}',
        total: '{total}',
        total_pages: '{total_pages}',
        has_more: '{has_more}',
      },
    }),
  },
  laravel: {
    body: envelope({
      current_page: '{page}',
      from: '{from}',
      last_page: '{last_page}',
      next_page_url: '{next}',
      per_page: '{per_page}',
      prev_page_url: '{previous}',
      to: '{to}',
      total: '{total}',
      data: '{rows}',
    }),
  },
  cursor: {
    body: envelope({
      transactions: '{rows}',
      pagination: { per_page: '{per_page}', has_more: '{has_more}', next_cursor: '{next_cursor}' },
    }),
    by: 'cursor',
  },
  array: { body: envelope('{rows}') },
  link: { body: envelope({ transactions: '{rows}' }), link: '<{next}>; rel="next"' },
};

/** The documented body of a refusal. */
export const documentedRefusal: Example = {
  success: false,
  mode: '{mode}',
  error: { type: '{type}', message: '{message}' },
};
