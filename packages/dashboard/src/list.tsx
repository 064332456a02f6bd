import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { toHref } from './router.ts';
import { type Column, Table } from './table.tsx';
import { Empty, Field } from './ui.tsx';

interface ListProps<Row> {
  /** The name of the view in addresses. */
  readonly view: string;
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly placeholder: string;
  /** Other conditions of the filter. */
  readonly isShown?: (row: Row) => boolean;
  readonly filters?: ComponentChildren;
  /** The content without rows. */
  readonly empty: ComponentChildren;
  readonly id: string | undefined;
  /** The detail of the record `id`. */
  readonly detail: (id: string) => JSX.Element;
  readonly before?: ComponentChildren;
  readonly after?: ComponentChildren;
}

/** A table with a filter, and beside it one of its records in detail. */
export function List<Row extends { readonly id: string }>(props: ListProps<Row>): JSX.Element {
  const { view, label, columns, rows, isShown, id } = props;
  const text = useSignal('');
  const searched = text.value.trim().toLowerCase();
  const shown = rows.filter(
    (row) => isShown?.(row) !== false && Object.values(row).join(' ').toLowerCase().includes(searched),
  );
  return (
    <div class={id === undefined ? 'split' : 'split open'}>
      <div class="list">
        {props.before}
        {rows.length === 0 ? (
          <Empty>{props.empty}</Empty>
        ) : (
          <>
            <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
              <Field
                label="Filter"
                type="search"
                placeholder={`Filter by ${props.placeholder}`}
                value={text}
              />
              {props.filters}
              <p class="count">{shown.length} shown</p>
            </form>
            <Table
              label={label}
              columns={columns}
              rows={shown}
              selected={id}
              href={(row) => toHref(view, row.id)}
            />
          </>
        )}
        {props.after}
      </div>
      {id !== undefined && props.detail(id)}
    </div>
  );
}
