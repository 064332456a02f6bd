import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { Header } from './header.tsx';
import { type Router, toHref } from './router.ts';
import type { StoreProps } from './state.ts';
import { Empty, Field, Form } from './ui.tsx';
import { ControlsView } from './views/controls.tsx';
import { MoneyView } from './views/money.tsx';
import { PaymentsView } from './views/payments.tsx';
import { RequestsView } from './views/requests.tsx';
import { WebhooksView } from './views/webhooks.tsx';

/** The properties of every view. */
export interface ViewProps extends StoreProps {
  /** The id of the record to show in detail. */
  readonly id: string | undefined;
}

const pages = {
  requests: { title: 'Requests', View: RequestsView },
  payments: { title: 'Payments', View: PaymentsView },
  money: { title: 'Money', View: MoneyView },
  webhooks: { title: 'Webhooks', View: WebhooksView },
  controls: { title: 'Controls', View: ControlsView },
};

/** The dashboard. */
export function App({ store, router }: StoreProps & { readonly router: Router }): JSX.Element {
  const { view, id } = router.value;
  const { title, View } = pages[view];
  const { connection, mode } = store;
  if (connection.value === 'login') return <Login store={store} />;
  document.title = `${title} · Payments sandbox`;
  return (
    <div class={`page mode-${mode.value}`}>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to content
      </a>
      <Header store={store} />
      {mode.value === 'live' && (
        <aside class="live-note">
          Live mode of the sandbox: separate keys and balances. No real money moves.
        </aside>
      )}
      <nav aria-label="Views">
        {Object.entries(pages).map(([each, page]) => (
          <a key={each} href={toHref(each)} aria-current={each === view ? 'page' : undefined}>
            {page.title}
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        <h1 class="visually-hidden">{title}</h1>
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

function focusMain(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

function Notices({ store }: StoreProps): JSX.Element {
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
function Login({ store }: StoreProps): JSX.Element {
  const token = useSignal('');
  return (
    <main class="login">
      <h1>Payments sandbox</h1>
      <p>
        This sandbox is reachable from other machines, so it asks for the token that it showed at its start.
      </p>
      <Form store={store} button="Open" run={() => store.logIn(token.value.trim())}>
        <Field label="Token" type="password" value={token} />
      </Form>
      <Notices store={store} />
    </main>
  );
}
