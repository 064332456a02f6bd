const CURRENCIES = ['EUR', 'GBP', 'JPY', 'KES', 'INR', 'USD'];
const BANKS = ['First Example Bank', 'Banco de Ejemplo', 'Beispielbank AG', undefined];
const COUNTRIES = ['DE', 'JP', 'BR', 'KE', undefined];
const STEP = 0x9e3779b9;

/** Makes a function that returns a random valid body of `POST /payments` each time; the same seed gives the same bodies. */
export function createOrders(seed: number): () => string {
  const draw = createDice(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[draw(items.length)] as Item;
  return () =>
    JSON.stringify({
      from_currency: 'USD',
      to_currency: pick(CURRENCIES),
      amount: (1000 + draw(9_000)) / 100,
      beneficiary_name: `Supplier ${draw(100_000)} Ltd`,
      beneficiary_bank: pick(BANKS),
      beneficiary_account: draw(2) === 0 ? undefined : `DE${10 ** 10 + draw(10 ** 9)}`,
      beneficiary_country: pick(COUNTRIES),
      purpose: draw(2) === 0 ? undefined : `INV-${draw(100_000)}`,
    });
}

/** Makes a seeded function that returns a whole number below its argument (splitmix32). */
export function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + STEP) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % sides;
  };
}
