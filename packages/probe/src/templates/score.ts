import type { Known } from './known.ts';
import type { Sample } from './sample.ts';

/** The score from which a value that is the same in all samples counts as a placeholder. */
export const MIN_SCORE = 50;

/** The names that services give to the values of placeholders. */
export const aliases: Readonly<Record<string, RegExp>> = {
  id: /^(?:id|uuid|reference|.*_id)$/,
  request_id: /request|trace|correlation/,
  path: /path|instance|ur[il]|endpoint/,
  target: /path|instance|ur[il]|endpoint|target/,
  method: /method|verb/,
  now: /time|date|_at$/,
  payment_id: /payment|reference|source/,
  beneficiary_country: /country/,
  purpose: /purpose|reference|description|memo|note|details|text|label|narrative/,
  reference: /purpose|reference|description|memo|note|text|label|narrative/,
  amount: /amount|value|gross|total/,
  send_amount: /amount|send|source/,
  debit: /total|debit|gross|amount/,
  receive_amount: /receive|target|destination/,
  fee: /fee|cost|charge/,
  row_fee: /fee|cost|charge/,
  rate: /rate|fx/,
  balance_after: /balance/,
  currency: /currency/,
  from_currency: /from|source|currency/,
  to_currency: /to_|target|destination/,
  at: /^(?:created_at|timestamp|time|sent_at|occurred_at)$/,
  created_at: /created|posted|booked|date|time|_at$/,
  updated_at: /updated|modified|changed/,
  processing_at: /(?:process|start|sent|submi|post).*(?:at|_on|date|time)$/,
  completed_at: /(?:complet|settle|paid|finish|execut|post).*(?:at|_on|date|time)$/,
  failed_at: /(?:fail|reject|declin).*(?:at|_on|date|time)$/,
  key_mode: /^mode$/,
  previous_status: /previous|last|from/,
  type: /type|kind|code/,
  message: /message|detail|title|error/,
  status: /status|state|code/,
  payment_status: /status|state/,
  page: /page|^number$/,
  per_page: /per_?page|size|limit/,
  total: /total|count/,
  total_pages: /pages|last/,
  last_page: /last|pages/,
  field: /field|loc|path|param|name|source|property/,
  problem: /msg|message|detail|problem|error/,
};

/** The texts of a request: the service does not write them by itself. */
const ofRequest: ReadonlySet<string> = new Set([
  'beneficiary_name',
  'beneficiary_bank',
  'beneficiary_account',
  'purpose',
]);

/** Returns how well a placeholder fits a field: by name, then by how rare its value is. */
export function scoreOf(text: string, key: string, samples: readonly Sample[]): number {
  const name = /\{(\w+)/.exec(text)?.[1] ?? '';
  const plain = key.toLowerCase();
  const named = plain === name ? 100 : aliases[name]?.test(plain) ? 60 : 0;
  const values = samples.map(({ known }) => writeKnown(known[name]));
  const isVarying = new Set(values).size > 1;
  // All payments of a run have the same currencies.
  const isRare = name.endsWith('currency') || (values[0]?.length ?? 0) >= (ofRequest.has(name) ? 4 : 8);
  const words = text.split(' ').length - 1;
  return named + (isVarying ? 30 : 0) + (isRare ? 55 : 0) - words;
}

/** Writes a known value to compare it. Empty without one. */
export function writeKnown(known: Known | undefined): string {
  if (known === undefined) return '';
  if (known.kind === 'amount') return String(known.micro);
  if (known.kind === 'time') return String(known.at);
  if (known.kind === 'text') return known.text ?? '';
  if (known.kind === 'json') return JSON.stringify(known.json) ?? '';
  return String(known.kind === 'count' ? known.count : known.flag);
}
