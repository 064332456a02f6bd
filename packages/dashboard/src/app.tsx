import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { Header } from './header.tsx';
import { type Router, toHref, views } from './router.ts';
import type { Report, Store } from './state.ts';
import { Empty } from './ui.tsx';
import { ControlsView } from './views/controls.tsx';
import { MoneyView } from './views/money.tsx';
import { PaymentsView } from './views/payments.tsx';
import { RequestsView } from './views/requests.tsx';
import { WebhooksView } from './views/webhooks.tsx';

/** The properties of every view. */
export interface ViewProps {
  readonly store: Store;
  /** The id of the record to show in detail. */
  readonly id: string | undefined;
}

const components = {
  requests: RequestsView,
  payments: PaymentsView,
  money: MoneyView,
  webhooks: WebhooksView,
  controls: ControlsView,
};

const titles: Readonly<Record<string, string>> = {
  requests: 'Requests',
  payments: 'Payments',
  money: 'Money',
  webhooks: 'Webhooks',
  controls: 'Controls',
};

/** The dashboard. */
export function App({ store, router }: { readonly store: Store; readonly router: Router }): JSX.Element {
  const { view, id } = router.value;
  const View = components[view as keyof typeof components];
  if (store.connection.value === 'login') return <Login store={store} />;
  document.title = `${titles[view]} · ${store.report?.title ?? 'Payments sandbox'}`;
  return (
    <div class={`page mode-${store.mode.value}`}>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to content
      </a>
      <Header store={store} />
      {store.report !== undefined && <Failure report={store.report} />}
      <nav aria-label="Views">
        {views.map((each) => (
          <a key={each} href={toHref(each)} aria-current={each === view ? 'page' : undefined}>
            {titles[each]}
          </a>
        ))}
        {store.report === undefined && <a href="/_sandbox/docs">API reference</a>}
      </nav>
      {/* Without its controls, a view of a report may have nothing else to focus for scrolling. */}
      <main id="main" tabIndex={store.report === undefined ? -1 : 0}>
        <h1 class="visually-hidden">{titles[view]}</h1>
        {store.account.value === '' ? (
          <Empty>Connecting to the sandbox…</Empty>
        ) : (
          <View store={store} id={id} key={view} />
        )}
      </main>
      <Notices store={store} />
    </div>
  );
}

/** The test of a report, and why it failed. */
function Failure({ report: { title, error } }: { readonly report: Report }): JSX.Element {
  return (
    <section class="failure" aria-label="Test">
      <p>
        <b>{title}</b>
      </p>
      {error !== null && (
        <pre tabIndex={0} aria-label="Error">
          {error}
        </pre>
      )}
    </section>
  );
}

function focusMain(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

function Notices({ store }: { readonly store: Store }): JSX.Element {
  return (
    <div class="notices" role="status" aria-live="polite">
      {store.notices.value.map(({ id, text, isError }) => (
        <p key={id} class={isError ? 'notice error' : 'notice'}>
          {text}
        </p>
      ))}
    </div>
  );
}

/** Asks for the token of the control API. */
function Login({ store }: { readonly store: Store }): JSX.Element {
  const token = useSignal('');
  const submit = (event: Event): void => {
    event.preventDefault();
    void store.act(() => store.logIn(token.value.trim()));
  };
  return (
    <main class="login">
      <h1>Payments sandbox</h1>
      <p>
        This sandbox is reachable from other machines, so it asks for the token that it showed at its start.
      </p>
      <form onSubmit={submit}>
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => (token.value = event.currentTarget.value)}
          />
        </label>
        <button class="primary">Open</button>
      </form>
      <Notices store={store} />
    </main>
  );
}
