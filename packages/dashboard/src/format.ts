/** Formats an ISO time for a reader, in UTC. */
export function formatTime(time: string): string {
  return time.slice(0, 19).replace('T', ' ');
}

/** Formats an instant in milliseconds for a reader, in UTC. */
export function formatInstant(instant: number): string {
  return formatTime(new Date(instant).toISOString());
}

/** Formats the time of day, with milliseconds. */
export function formatClock(time: string): string {
  return time.slice(11, 23);
}

/**
 * Formats decimal text as money: grouped digits, the decimals of the currency, and its code. `isSigned`: with a plus sign, for
 * changes.
 */
export function formatMoney(amount: string, currency: string, isSigned = false): string {
  return `${formatAmount(amount, currency, isSigned)} ${currency}`;
}

/** Formats decimal text as grouped digits with at least the decimals of the currency. `isSigned`: with a plus sign, for changes. */
export function formatAmount(amount: string, currency: string, isSigned = false): string {
  const [, minus = '', whole = '', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  const plus = isSigned && Number(amount) > 0 ? '+' : '';
  const fraction = decimals.replace(/^0+$/, '').padEnd(digitsOf(currency), '0');
  return `${minus === '' ? plus : '−'}${grouped}${fraction && `.${fraction}`}`;
}

/** Returns the number of decimals of a currency, at most 2: 0 for JPY. */
function digitsOf(currency: string): number {
  const format = { style: 'currency', currency } as const;
  // Other codes throw.
  if (!/^[a-z]{3}$/i.test(currency)) return 2;
  return Math.min(new Intl.NumberFormat('en', format).resolvedOptions().maximumFractionDigits ?? 2, 2);
}

// The TypeScript types do not have it yet, nor do older browsers.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON?: (text: string) => unknown };

/** Returns a number with its digits, which a double would lose. */
function keepDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isExact = typeof value === 'number' && context?.source !== undefined;
  return isExact ? (rawJSON?.(context.source) ?? value) : value;
}

/** Formats JSON text with indentation. Other text stays as it is. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, keepDigits), null, 2);
  } catch {
    return text;
  }
}

/** Writes a name such as `under_review` in words. */
export function toWords(name: string): string {
  return name.replaceAll('_', ' ');
}
