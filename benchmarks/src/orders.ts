const CURRENCIES = ['EUR', 'GBP', 'JPY', 'KES', 'INR', 'USD'];
const BANKS = ['First Example Bank', 'Banco de Ejemplo', 'Beispielbank AG', undefined];
const COUNTRIES = ['DE', 'JP', 'BR', 'KE', undefined];
const STEP = 0x9e3779b9;

/** Returns a source of random valid bodies for `POST /payments`. The same seed gives the same bodies. */
export function createOrders(seed: number): () => string {
  const random = createRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
  return () =>
    JSON.stringify({
      from_currency: 'USD',
      to_currency: pick(CURRENCIES),
      amount: (1000 + random(9_000)) / 100,
      beneficiary_name: `Supplier ${random(100_000)} Ltd`,
      beneficiary_bank: pick(BANKS),
      beneficiary_account: random(2) === 0 ? undefined : `DE${10 ** 10 + random(10 ** 9)}`,
      beneficiary_country: pick(COUNTRIES),
      purpose: random(2) === 0 ? undefined : `INV-${random(100_000)}`,
    });
}

/** Returns a seeded source of random integers below its argument (splitmix32). */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + STEP) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
  };
}
