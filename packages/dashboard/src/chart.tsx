import type { JSX } from 'preact';
import { formatTime } from './format.ts';
import type { WalletRow } from './types.ts';

const WIDTH = 1_000;
const HEIGHT = 160;

interface ChartProps {
  /** Newest first. */
  readonly rows: readonly WalletRow[];
  readonly currency: string;
}

/** The balance of a wallet over the time of the sandbox, in steps, from zero. The table below it has the exact figures. */
export function BalanceChart({ rows, currency }: ChartProps): JSX.Element {
  const ordered = rows.toReversed();
  const [oldest, newest] = [ordered[0], ordered.at(-1)];
  if (oldest === undefined || newest === undefined) return <p class="muted">No transaction.</p>;
  const top = roundUp(Math.max(...ordered.map(({ balance_after }) => Number(balance_after))));
  const [from, to] = [Date.parse(oldest.at), Date.parse(newest.at)];
  const x = (at: string): number => (to === from ? 0 : ((Date.parse(at) - from) / (to - from)) * WIDTH);
  const y = (balance: string): number => HEIGHT - (Number(balance) / top) * HEIGHT;
  const steps = ordered.map(({ at, balance_after }) => `H${x(at)}V${y(balance_after)}`).join('');
  const path = `M0 ${y(oldest.balance_after)}${steps}H${WIDTH}`;
  return (
    <figure class="chart">
      <div class="axis">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{value.toLocaleString('en-US')}</span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Balance of the ${currency} wallet over time`}
      >
        <path class="grid" d={`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
        <path class="area" d={`${path}V${HEIGHT}H0Z`} />
        <path class="line" d={path} />
      </svg>
      <figcaption>
        <span>{formatTime(oldest.at)}</span>
        <span>{formatTime(newest.at)}</span>
      </figcaption>
    </figure>
  );
}

/** Returns the next number with one digit, or with a half of it: 120,000 becomes 150,000. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const half = 10 ** Math.floor(Math.log10(value)) / 2;
  return Math.ceil(value / half) * half;
}
