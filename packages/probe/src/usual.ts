/** Returns the item whose value most items have, the first one of several. */
export const findUsual = <Item>(
  items: readonly Item[],
  valueOf: (item: Item) => unknown,
): Item | undefined => {
  const texts = items.map((item) => JSON.stringify([valueOf(item)]));
  const countOf = (text: string): number => texts.filter((one) => one === text).length;
  const [usual = ''] = [...new Set(texts)].toSorted((a, b) => countOf(b) - countOf(a));
  return items[texts.indexOf(usual)];
};
