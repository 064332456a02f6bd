/** Returns the least-squares slope of equally spaced numbers: the average change from one to the next. */
export function slopeOf(numbers: readonly number[]): number {
  const middle = (numbers.length - 1) / 2;
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  let [above, below] = [0, 0];
  for (const [index, value] of numbers.entries()) {
    above += (index - middle) * (value - mean);
    below += (index - middle) ** 2;
  }
  return above / below;
}
