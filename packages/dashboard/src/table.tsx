import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX, RefObject, TargetedKeyboardEvent, TargetedMouseEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  /** The minimum width in pixels. */
  readonly width: number;
  /** The share of the free width. */
  readonly grow?: number;
  readonly isNumber?: true;
  readonly render: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly label: string;
  /** The most important column first: a narrow table shows only the first ones. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly selected?: string | undefined;
  /** The address of the record of a row, if it has one. */
  readonly href: (row: Row) => string | undefined;
}

const ROW_HEIGHT = 40;
/** The space between two columns. */
const GAP = 14;
/** The space on both sides of a row. */
const PADDING = 8;

/** A table of any length: only the rows in view exist in the page. A click opens a row, and arrow keys move between rows. */
export function Table<Row extends { readonly id: string }>(props: TableProps<Row>): JSX.Element {
  const { label, rows, selected, href } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { start, end, width } = useView(scroller);
  const columns = fitColumns(props.columns, width);
  const widths = columns.map(({ width: least, grow = 0 }) => `minmax(${least}px, ${grow}fr)`);
  const grid = { gridTemplateColumns: widths.join(' ') };
  return (
    <div class="table" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div role="rowgroup">
        <div class="row head" role="row" style={grid}>
          {columns.map(({ title, isNumber }) => (
            <span key={title} role="columnheader" class={isNumber && 'number'}>
              {title}
            </span>
          ))}
        </div>
      </div>
      <div
        class="scroll"
        role="rowgroup"
        ref={scroller}
        tabIndex={-1}
        onKeyDown={moveFocus}
        onClick={openRow}
      >
        <div role="presentation" style={{ height: `${rows.length * ROW_HEIGHT}px`, position: 'relative' }}>
          {rows.slice(start, end).map((row, index) => {
            const address = href(row);
            const isSelected = row.id === selected;
            return (
              <div
                key={row.id}
                class={`row${isSelected ? ' selected' : ''}${address === undefined ? '' : ' link'}`}
                role="row"
                aria-rowindex={start + index + 2}
                style={{ ...grid, transform: `translateY(${(start + index) * ROW_HEIGHT}px)` }}
              >
                {columns.map(({ title, isNumber, render }, place) => (
                  <span key={title} role="cell" class={isNumber && 'number'}>
                    {place === 0 && address !== undefined ? (
                      <a href={address} aria-current={isSelected ? 'true' : undefined}>
                        {render(row)}
                      </a>
                    ) : (
                      render(row)
                    )}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Returns the columns that fit a width: all before the first one that does not, and at least one. */
function fitColumns<Row>(columns: readonly Column<Row>[], width: number): readonly Column<Row>[] {
  let used = 2 * PADDING - GAP;
  const place = columns.findIndex((column) => (used += column.width + GAP) > width);
  return place === -1 ? columns : columns.slice(0, Math.max(place, 1));
}

/** Number of rows above and below the view. */
const OVERSCAN = 10;

/** Follows the size and the position of a scrolled element. All rows have the same height. */
function useView(scroller: RefObject<HTMLDivElement | null>): Record<'start' | 'end' | 'width', number> {
  const view = useSignal({ scrollTop: 0, clientHeight: 800, clientWidth: 0 });
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return undefined;
    const measure = (): void => {
      const { scrollTop, clientHeight, clientWidth } = current;
      view.value = { scrollTop, clientHeight, clientWidth };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    current.addEventListener('scroll', measure, { passive: true });
    return () => observer.disconnect();
  }, []);
  const { scrollTop, clientHeight, clientWidth: width } = view.value;
  const start = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - OVERSCAN);
  return { start, end: Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT) + OVERSCAN, width };
}

/** Opens the record of a clicked row. A click on a link, or the end of a selection of text, is not one on the row. */
function openRow({ target }: TargetedMouseEvent<HTMLDivElement>): void {
  if (!(target instanceof Element) || target.closest('a') || getSelection()?.isCollapsed === false) return;
  target.closest('.row')?.querySelector('a')?.click();
}

function moveFocus(event: TargetedKeyboardEvent<HTMLDivElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined;
  if (step === undefined) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.row > :first-child > a')];
  const next = links[links.indexOf(document.activeElement as HTMLElement) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
