/** Returns the item whose value most items have, the first one of several. */
export const findUsual = <Item>(
  items: readonly Item[],
  valueOf: (item: Item) => unknown,
): Item | undefined => {
  const counts = new Map<string | undefined, number>();
  for (const item of items) {
    const text = JSON.stringify(valueOf(item));
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const most = Math.max(...counts.values());
  return items.find((item) => counts.get(JSON.stringify(valueOf(item))) === most);
};
