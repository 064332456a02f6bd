import type { PageTemplate, RefusalTemplate, RowTemplate, TimestampForm } from './profile.ts';
import type { ObjectTemplate, Template } from './template.ts';

// The documented responses as templates, and the templates behind the names of a profile, the default first.

/** Returns a template whose fields are the values with their names. */
function namedFields(names: string): ObjectTemplate {
  return Object.fromEntries(names.split(' ').map((name) => [name, `{${name}}`]));
}

/** The documented `data` of a quote. */
export const documentedQuote: ObjectTemplate = namedFields(
  'from_currency to_currency send_amount fee rate receive_amount',
);

/** The documented `data` of a payment. */
export const documentedPayment: ObjectTemplate = {
  ...namedFields('id status from_currency to_currency send_amount rate receive_amount'),
  beneficiary: {
    name: '{beneficiary_name}',
    bank: '{beneficiary_bank}',
    account: '{beneficiary_account}',
    country: '{beneficiary_country}',
  },
  ...namedFields('purpose created_at'),
};

/** A documented row of the transaction list. */
export const documentedRow: ObjectTemplate = {
  ...namedFields('id type status currency amount'),
  fee: '{row_fee}',
  ...namedFields('balance_after payment_id reference created_at'),
};

/** The documented `data` of the balance. */
export const documentedBalance: ObjectTemplate = {
  balances: ['{each wallets}', { currency: '{currency}', balance: '{balance}' }],
};

/** The documented body of a webhook. */
export const documentedEvent: ObjectTemplate = {
  event: 'payment.{status}',
  created_at: '{at}',
  data: namedFields('id status from_currency to_currency send_amount receive_amount mode'),
};

/** The forms of timestamps by name. */
export const namedTimestamps: Readonly<
  Record<'offset' | 'zulu' | 'compactOffset' | 'fraction', TimestampForm>
> = {
  offset: { digits: 0, zone: '+00:00' },
  zulu: { digits: 0, zone: 'Z' },
  compactOffset: { digits: 0, zone: '+0000' },
  fraction: { digits: 3, zone: '+00:00' },
};

const minimalRow: ObjectTemplate = {
  ...namedFields('id type status currency'),
  amount: '{amount abs}',
  created_at: '{created_at}',
};

/** The rows of the transaction list by name. */
export const namedRows: Readonly<Record<'full' | 'minimal', readonly RowTemplate[]>> = {
  full: [{ of: 'any', row: documentedRow }],
  minimal: [{ of: 'any', row: minimalRow }],
};

const rows: Template = ['{each rows}', '{row}'];

/** The pages of the transaction list by name. */
export const namedPages: Readonly<Record<'page' | 'laravel' | 'cursor' | 'array' | 'link', PageTemplate>> = {
  page: {
    data: {
      transactions: rows,
      pagination: {
        current_page: '{page}',
        per_page: '{per_page}',
        total: '{total}',
        total_pages: '{total_pages}',
        has_more: '{has_more}',
      },
    },
  },
  laravel: {
    data: {
      current_page: '{page}',
      from: '{from}',
      last_page: '{last_page}',
      next_page_url: '{next_path}',
      per_page: '{per_page}',
      prev_page_url: '{previous_path}',
      to: '{to}',
      total: '{total}',
      data: rows,
    },
  },
  cursor: {
    data: {
      transactions: rows,
      pagination: { per_page: '{per_page}', has_more: '{has_more}', next_cursor: '{next_cursor}' },
    },
    by: 'cursor',
  },
  array: { data: rows },
  link: { data: { transactions: rows }, headers: { Link: '<{next_path}>; rel="next"' } },
};

const error = { type: '{type}', message: '{message}' } as const;

/** The errors by name. */
export const namedErrors: Readonly<Record<'envelope' | 'extra' | 'bare' | 'html', RefusalTemplate>> = {
  envelope: { body: { success: false, mode: '{mode}', error } },
  extra: {
    body: {
      success: false,
      mode: '{mode}',
      error: { ...error, fields: { '{each fields}': ['{problem}'] }, status: '{status}' },
    },
  },
  bare: { body: { message: '{message}' } },
  html: {
    body: '<!doctype html><html><head><title>{status}</title></head><body><h1>{status}</h1><p>{message html}</p></body></html>',
    headers: { 'Content-Type': 'text/html' },
  },
};
