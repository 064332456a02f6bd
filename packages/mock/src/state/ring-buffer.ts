/** Keeps items in the order in which they came. */
export interface RingBuffer<Item> {
  readonly count: () => number;
  /** Adds an item behind the last; there must be room. */
  readonly push: (item: Item) => void;
  /** Takes the oldest item out; undefined when there is none. */
  readonly shift: () => Item | undefined;
  /** Lists the items, oldest first. */
  readonly list: () => Item[];
}

/** Creates an empty ring with room for so many items and one more; adding and taking cost the same however many there are. */
export function createRingBuffer<Item>(capacity: number): RingBuffer<Item> {
  const room = capacity + 1;
  const slots: (Item | undefined)[] = [];
  let start = 0;
  let count = 0;
  const shift = (): Item | undefined => {
    if (count === 0) return undefined;
    const oldest = slots[start];
    // An item that was taken out is not kept alive by its slot.
    slots[start] = undefined;
    start = (start + 1) % room;
    count -= 1;
    return oldest;
  };
  return {
    count: () => count,
    push(item) {
      slots[(start + count) % room] = item;
      count += 1;
    },
    shift,
    list: () => Array.from({ length: count }, (_, index) => slots[(start + index) % room] as Item),
  };
}
