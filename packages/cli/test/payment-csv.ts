/** The header of the payment files of the tests. */
export const HEADER = 'reference,from,to,amount,name,account,bank,country,purpose';

/** Returns a file of different payments of 10.00 USD. */
export function toCsv(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, index) =>
      `INV-${index + 1},USD,EUR,10.00,Supplier ${index + 1},,,DE,Invoice ${index + 1} of November`,
  );
  return [HEADER, ...rows, ''].join('\n');
}
