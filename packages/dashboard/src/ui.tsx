import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { callApi, type Query } from './api.ts';
import { formatJson, toWords } from './format.ts';
import { toHref } from './router.ts';
import type { Store, StoreProps } from './state.ts';

/** The properties of a component with content. */
type Props<Own> = Readonly<Own> & { readonly children: ComponentChildren };

/** A colored word. */
export function Badge({ tone, children }: Props<{ tone: string }>): JSX.Element {
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

/** The status of a payment or a delivery, or that of a response; null: there is none yet. */
export function Status({ value }: { readonly value: string | number | null }): JSX.Element {
  if (typeof value !== 'number')
    return <Badge tone={tones[value ?? ''] ?? 'plain'}>{toWords(value ?? 'waiting')}</Badge>;
  return <Badge tone={value < 300 ? 'good' : value < 500 ? 'warn' : 'bad'}>{value}</Badge>;
}

/** A headed part of a view. */
export function Panel({
  title,
  aside,
  children,
}: Props<{ title: string; aside?: ComponentChildren }>): JSX.Element {
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

/** The properties of the detail of a record. */
export interface DetailViewProps extends StoreProps {
  readonly id: string;
}

interface DetailProps<Body> extends StoreProps {
  /** The list that the link "Close" returns to. */
  readonly view: string;
  readonly label: string;
  /** The path of the record in the control API. */
  readonly path: string;
  readonly title: (body: Body) => string;
  readonly badge: (body: Body) => JSX.Element;
  readonly children: (body: Body) => ComponentChildren;
}

/** The detail of a record, which is read again whenever the sandbox changes. */
export function Detail<Body>(props: DetailProps<Body>): JSX.Element {
  const { store, view, label, path, title, badge, children } = props;
  const { body, error } = useApi<Body>(store, path);
  return (
    <article class="detail" aria-label={label}>
      <div class="detail-head">
        {body !== undefined && (
          <>
            <h2>{title(body)}</h2>
            {badge(body)}
          </>
        )}
        <a class="close" href={toHref(view)}>
          Close
        </a>
      </div>
      {body === undefined ? <p class="muted">{error ?? 'Loading…'}</p> : children(body)}
    </article>
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

interface FieldProps {
  readonly label: string;
  readonly value: Signal<string>;
  /** The number of lines, for a text of several ones. */
  readonly rows?: number;
  readonly type?: 'search' | 'url' | 'password';
  readonly required?: boolean;
  readonly placeholder?: string;
}

/** A labeled text field. */
export function Field({ label, value, rows, type, ...attributes }: FieldProps): JSX.Element {
  const input = {
    ...attributes,
    value,
    onInput: (event: Event) => (value.value = (event.currentTarget as HTMLInputElement).value),
  };
  return (
    <label class={rows === undefined ? '' : 'full'}>
      <span class="label">{label}</span>
      {rows === undefined ? (
        <input type={type as 'text'} autocomplete="off" {...input} />
      ) : (
        <textarea rows={rows} {...input} />
      )}
    </label>
  );
}

/** A labeled list of options, of which one is chosen. */
export function Choice({
  label,
  value,
  children,
}: Props<{ label: string; value: Signal<string> }>): JSX.Element {
  return (
    <label>
      <span class="label">{label}</span>
      <select value={value} onChange={(event) => (value.value = event.currentTarget.value)}>
        {children}
      </select>
    </label>
  );
}

interface ActionProps extends StoreProps {
  readonly run: () => Promise<unknown>;
  /** The message after success. */
  readonly done?: string;
  readonly children: ComponentChildren;
}

/** A button that changes the sandbox. */
export function Action({ store, run, done, children }: ActionProps): JSX.Element | null {
  return (
    <button type="button" onClick={() => void store.act(run, done)}>
      {children}
    </button>
  );
}

/** A form that changes the sandbox, with the text of its button. */
export function Form(props: ActionProps & { readonly button: string }): JSX.Element | null {
  const { store, button, run, done, children } = props;
  const submit = (event: Event): void => {
    event.preventDefault();
    void store.act(run, done);
  };
  return (
    <form class="fields" onSubmit={submit}>
      {children}
      <button class="primary">{button}</button>
    </form>
  );
}

/** The text in place of an empty list. */
export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <div class="empty">{children}</div>;
}

/** A button that copies text. */
export function CopyButton({ store, text, children }: Props<{ store: Store; text: string }>): JSX.Element {
  return <button onClick={() => void store.act(() => copyText(text), 'Copied.')}>{children}</button>;
}

/**
 * Copies a text.
 *
 * @throws {Error} on a page over plain http of another machine, which has no clipboard
 */
export async function copyText(text: string): Promise<void> {
  const { clipboard } = navigator as Partial<Navigator>;
  if (clipboard === undefined)
    throw new Error('The browser copies only from a page at localhost or over https.');
  await clipboard.writeText(text);
}

/** A list of names with their values. */
export function Facts({ facts }: { readonly facts: Record<string, ComponentChildren> }): JSX.Element {
  return (
    <dl class="facts">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The body of a response, or why there is none. */
interface Loaded<Body> {
  readonly body?: Body;
  readonly error?: string;
}

/** Reads a path of the control API, and again after each change. */
export function useApi<Body>(store: Store, path: string, query: Query = {}): Loaded<Body> {
  const loaded = useSignal<Loaded<Body>>({});
  const key = JSON.stringify([path, query]);
  useEffect(() => {
    let [asked, shown] = [0, 0];
    const read = async (): Promise<void> => {
      asked += 1;
      const number = asked;
      const next = await callApi<Body>('GET', path, { query }).then(
        (body) => ({ body }),
        (error: Error) => ({ error: error.message }),
      );
      // A later question can be answered first, and another path can be shown by now.
      if (number < shown) return;
      shown = number;
      loaded.value = next;
    };
    loaded.value = {};
    const unsubscribe = store.version.subscribe(() => void read());
    return () => {
      shown = Infinity;
      unsubscribe();
    };
  }, [key]);
  return loaded.value;
}
