import { type ReadonlySignal, signal } from '@preact/signals';

/** The names of the views. */
const views = ['requests', 'payments', 'money', 'webhooks', 'controls'] as const;

/** The shown view, and the record that it shows in detail. */
interface Route {
  readonly view: (typeof views)[number];
  readonly id: string | undefined;
}

/** The route of the address bar. */
export type Router = ReadonlySignal<Route>;

/** Follows the fragment of the address, such as `#/payments/pay_test_…`. */
export function createRouter(): Router {
  const route = signal(readRoute());
  addEventListener('hashchange', () => (route.value = readRoute()));
  return route;
}

function readRoute(): Route {
  const [, view = '', id = ''] = location.hash.split('/');
  return {
    view: views.find((each) => each === view) ?? 'requests',
    // Decodes like `decodeURIComponent`, but accepts an incomplete escape.
    id: new URLSearchParams(`id=${id}`).get('id') || undefined,
  };
}

/** Returns the address of a view or a record. */
export function toHref(view: string, id?: string): string {
  return `#/${view}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
}
