// Templates of rows and pages that no common framework has, so that only their templates make them readable.
import type { PageTemplate, Profile, RowTemplate } from '@service/internal';

/** Rows with cents, a direction, other words and nested values. */
const centsWithDirection: readonly RowTemplate[] = [
  {
    of: 'any',
    row: {
      no: '{number}',
      entry: '{type upper}',
      phase: '{status completed=posted pending=open processing=open}',
      money: { minor: '{amount abs cents}', unit: '{currency lower}', side: '{sign -=out +=in}' },
      left: '{balance_after cents}',
      cost: '{row_fee fixed}',
      source: '{payment_id}',
      memo: '{reference}',
      at: '{created_at unix_ms}',
    },
  },
];

/** One template for each kind of row, in which a documented name has another meaning. */
const ofEachKind: readonly RowTemplate[] = [
  {
    of: 'payment',
    row: {
      uid: '{id}',
      label: 'transfer out',
      amount: '{row_fee}',
      total: '{amount abs text}',
      money: '{currency}',
      stage: '{status upper spaced}',
      text: 'Payment {payment_id}: {purpose}',
      booked: '{created_at http}',
    },
  },
  {
    of: 'refund',
    row: {
      uid: '{id}',
      label: 'money back',
      total: '{amount abs text}',
      money: '{currency}',
      stage: '{status}',
      text: 'Refund of {payment_id}: {purpose}',
      booked: '{created_at digits=6 zone=+01:00}',
    },
  },
  {
    of: 'any',
    row: {
      uid: '{id}',
      label: 'other',
      kind: '{type}',
      total: '{amount fixed}',
      money: '{currency}',
      stage: '{status}',
      booked: '{created_at digits=6 zone=+01:00}',
    },
  },
];

/** Rows whose amounts have a whole number and a fraction, as `google.type.Money`. */
const wholeAndFraction: readonly RowTemplate[] = [
  {
    of: 'any',
    row: {
      id: '{id}',
      type: '{type}',
      status: '{status}',
      amount: {
        currency_code: '{currency}',
        units: '{amount whole text}',
        nanos: '{amount fraction=9}',
      },
      fee: { units: '{row_fee whole}', cents: '{row_fee fraction=2}' },
      balance: '{balance_after fixed}',
      payment_id: '{payment_id}',
      reference: '{reference}',
      created_at: '{created_at}',
    },
  },
];

export const rowTemplates: Readonly<Record<string, readonly RowTemplate[]>> = {
  centsWithDirection,
  ofEachKind,
  wholeAndFraction,
};

export const pageTemplates: Readonly<Record<string, PageTemplate>> = {
  'edges with a cursor': {
    data: { movements: { edges: ['{each rows}', { node: '{row}' }] }, resume: '{next_cursor}' },
    by: 'cursor',
    parameter: 'after',
  },
  'an offset and a total': {
    data: { window: { list: ['{each rows}', '{row}'], skipped: '{offset}' } },
    beside: { overall: '{total}' },
    by: 'offset',
    parameter: 'start',
  },
  'page numbers in headers': {
    data: ['{each rows}', '{row}'],
    headers: { 'X-Following': '{next_page}', 'X-All': '{total}' },
    parameter: 'p',
  },
  'rows by id and a link of another name': {
    data: { byId: { '{each rows}': '{row}' }, forward: '{next_url}', backward: '{previous_url}' },
    parameter: 'sheet',
  },
  'the number of the last page': {
    data: { feed: ['{each rows}', '{row}'] },
    beside: { sheets: '{last_page text}', sheet: '{page}' },
    parameter: 'sheet',
  },
};

/** Profiles with these templates. */
export const templateProfiles: readonly [name: string, Partial<Profile>][] = [
  ...Object.entries(rowTemplates).map(([name, transactionShape]): [string, Partial<Profile>] => [
    `rows: ${name}`,
    { transactionShape },
  ]),
  ...Object.entries(pageTemplates).map(([name, pagination], index): [string, Partial<Profile>] => [
    `pages: ${name}`,
    { pagination, ...(index % 2 === 0 && { transactionShape: centsWithDirection }) },
  ]),
];
