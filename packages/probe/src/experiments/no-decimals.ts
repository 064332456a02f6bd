/** Currencies without minor units. */
export const noDecimals: readonly string[] = ['JPY', 'KRW', 'VND', 'CLP', 'UGX', 'XOF'];
