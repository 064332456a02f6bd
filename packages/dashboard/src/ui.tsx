import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { callApi, type Query } from './api.ts';
import { formatJson, toWords } from './format.ts';
import type { Store } from './state.ts';

/** A colored word. */
export function Badge({
  tone,
  children,
}: {
  readonly tone: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const tones: Readonly<Record<string, string>> = {
  completed: 'good',
  acknowledged: 'good',
  failed: 'bad',
  exhausted: 'bad',
  stopped: 'bad',
  connection_lost: 'bad',
  retrying: 'warn',
  under_review: 'warn',
};

/** The status of a payment or a delivery. */
export function Status({ value }: { readonly value: string }): JSX.Element {
  return <Badge tone={tones[value] ?? 'plain'}>{toWords(value)}</Badge>;
}

/** The status of a response. */
export function HttpStatus({ value }: { readonly value: number | string | null }): JSX.Element {
  if (value === null) return <Badge tone="plain">waiting</Badge>;
  if (typeof value === 'string') return <Badge tone="bad">{toWords(value)}</Badge>;
  return <Badge tone={value < 300 ? 'good' : value < 500 ? 'warn' : 'bad'}>{value}</Badge>;
}

/** A headed part of a view. */
export function Panel({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <div class="panel-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Text of a message, indented if it is JSON. */
export function Code({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <pre tabIndex={0} aria-label={label}>
      {formatJson(text)}
    </pre>
  );
}

/** The filter above a table: a text, the options of the view, and the number of rows shown. */
export function Filters({
  text,
  placeholder,
  count,
  children,
}: {
  readonly text: Signal<string>;
  readonly placeholder: string;
  readonly count: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="grow">
        Filter
        <input
          type="search"
          placeholder={placeholder}
          value={text}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      {children}
      <p class="count">{count} shown</p>
    </form>
  );
}

/** What to do when there is nothing to show. */
export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <div class="empty">{children}</div>;
}

/** A button that copies text. */
export function CopyButton({
  store,
  text,
  children,
}: {
  readonly store: Store;
  readonly text: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <button onClick={() => void store.act(() => navigator.clipboard.writeText(text), 'Copied.')}>
      {children}
    </button>
  );
}

/** A list of names with their values. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A response that is read again whenever the sandbox changes. */
export interface Loaded<Body> {
  readonly body: Body | undefined;
  readonly error: string | undefined;
}

/** Reads a path of the control API, and again after each change, at most one read at a time. */
export function useApi<Body>(store: Store, path: string, query: Query = {}): Loaded<Body> {
  const loaded = useSignal<Loaded<Body>>({ body: undefined, error: undefined });
  const key = JSON.stringify([path, query]);
  useEffect(() => {
    let isEnded = false;
    let isReading = false;
    let isStale = false;
    const read = async (): Promise<void> => {
      isStale = isReading;
      if (isReading) return;
      isReading = true;
      const next = await callApi<Body>('GET', path, { query }).then(
        (body) => ({ body, error: undefined }),
        (error: Error) => ({ body: undefined, error: error.message }),
      );
      isReading = false;
      if (isEnded) return;
      loaded.value = next;
      if (isStale) await read();
    };
    loaded.value = { body: undefined, error: undefined };
    const unsubscribe = store.version.subscribe(() => void read());
    return () => {
      isEnded = true;
      unsubscribe();
    };
  }, [key]);
  return loaded.value;
}
