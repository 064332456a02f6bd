import type { JSX } from 'preact';
import { formatMoney, formatTime } from './format.ts';
import type { WalletRow } from './types.ts';

const WIDTH = 1_000;
const HEIGHT = 160;
const MARGIN = 6;

/**
 * The balance of a wallet over the time of the sandbox, in steps. It shows the course only: the table beside it has the exact
 * figures.
 */
export function BalanceChart({
  rows,
  currency,
}: {
  /** Newest first. */
  readonly rows: readonly WalletRow[];
  readonly currency: string;
}): JSX.Element {
  const ordered = rows.toReversed();
  const [oldest, newest] = [ordered[0], ordered.at(-1)];
  if (oldest === undefined || newest === undefined) return <p class="muted">No transaction.</p>;
  const byBalance = ordered.toSorted((a, b) => Number(a.balance_after) - Number(b.balance_after));
  const [lowest, highest] = [byBalance[0] ?? oldest, byBalance.at(-1) ?? oldest];
  const x = createScale(Date.parse(oldest.at), Date.parse(newest.at), WIDTH);
  const y = createScale(Number(lowest.balance_after), Number(highest.balance_after), HEIGHT - 2 * MARGIN);
  const steps = ordered
    .map(({ at, balance_after }, index) => {
      const [left, top] = [x(Date.parse(at)), HEIGHT - MARGIN - y(Number(balance_after))];
      return index === 0 ? `M0 ${top}` : `H${left}V${top}`;
    })
    .join('');
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Balance of the ${currency} wallet over time`}
      >
        <path class="area" d={`${steps}H${WIDTH}V${HEIGHT}H0Z`} />
        <path class="line" d={`${steps}H${WIDTH}`} />
      </svg>
      <figcaption>
        <span>{formatTime(oldest.at)}</span>
        <span>
          {formatMoney(lowest.balance_after, currency)} to {formatMoney(highest.balance_after, currency)}
        </span>
        <span>{formatTime(newest.at)}</span>
      </figcaption>
    </figure>
  );
}

/** Creates a function from a range of values to lengths from 0 to `length`. */
function createScale(from: number, to: number, length: number): (value: number) => number {
  return (value) => (to === from ? length / 2 : ((value - from) / (to - from)) * length);
}
