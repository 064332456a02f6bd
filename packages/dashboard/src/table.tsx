import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly width: string;
  readonly render: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly selected: string | undefined;
  /** The address of the record of a row. */
  readonly href: (row: Row) => string;
}

const ROW_HEIGHT = 36;

/** A table of any length: only the rows in view exist in the page. Arrow keys move between rows. */
export function Table<Row extends { readonly id: string }>(props: TableProps<Row>): JSX.Element {
  const { label, columns, rows } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { start, end } = useVisibleRange(scroller);
  const grid = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  return (
    <div class="table" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div role="rowgroup">
        <div class="row head" role="row" style={grid}>
          {columns.map(({ title }) => (
            <span key={title} role="columnheader">
              {title}
            </span>
          ))}
        </div>
      </div>
      <div class="scroll" role="rowgroup" ref={scroller} tabIndex={-1} onKeyDown={moveFocus}>
        <div role="presentation" style={{ height: `${rows.length * ROW_HEIGHT}px`, position: 'relative' }}>
          {rows.slice(start, end).map((row, index) => (
            <Line key={row.id} {...props} row={row} index={start + index} grid={grid} />
          ))}
        </div>
      </div>
    </div>
  );
}

interface LineProps<Row> extends TableProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly grid: { readonly gridTemplateColumns: string };
}

function Line<Row extends { readonly id: string }>(props: LineProps<Row>): JSX.Element {
  const { columns, row, index, grid, selected, href } = props;
  const isSelected = row.id === selected;
  return (
    <div
      class={isSelected ? 'row selected' : 'row'}
      role="row"
      aria-rowindex={index + 2}
      style={{ ...grid, transform: `translateY(${index * ROW_HEIGHT}px)` }}
    >
      {columns.map(({ title, render }, place) => (
        <span key={title} role="cell">
          {place === 0 ? (
            <a href={href(row)} aria-current={isSelected ? 'true' : undefined}>
              {render(row)}
            </a>
          ) : (
            render(row)
          )}
        </span>
      ))}
    </div>
  );
}

/** Number of rows above and below the view. */
const OVERSCAN = 10;

/** Returns the range of rows in view. All rows have the same height. */
function useVisibleRange(scroller: { readonly current: HTMLDivElement | null }): Visible {
  const view = useSignal({ top: 0, height: 800 });
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return undefined;
    const measure = (): void => {
      const { scrollTop: top, clientHeight: height } = current;
      view.value = { top, height };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    current.addEventListener('scroll', measure, { passive: true });
    return () => observer.disconnect();
  }, []);
  const { top, height } = view.value;
  const start = Math.max(0, Math.floor(top / ROW_HEIGHT) - OVERSCAN);
  return { start, end: Math.ceil((top + height) / ROW_HEIGHT) + OVERSCAN };
}

interface Visible {
  readonly start: number;
  readonly end: number;
}

function moveFocus(event: TargetedKeyboardEvent<HTMLDivElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined;
  if (step === undefined) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.row a:first-child')].toSorted(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  );
  const next = links[links.indexOf(document.activeElement as HTMLElement) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
