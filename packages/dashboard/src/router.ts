import { type ReadonlySignal, signal } from '@preact/signals';

/** The shown view, and the record that it shows in detail. */
interface Route {
  readonly view: string;
  readonly id: string | undefined;
}

/** The route of the address bar. */
export type Router = ReadonlySignal<Route>;

/** The names of the views. */
export const views = ['requests', 'payments', 'money', 'webhooks', 'controls'] as const;

/** Follows the fragment of the address, such as `#/payments/pay_test_…`. */
export function createRouter(): Router {
  const route = signal(readRoute());
  addEventListener('hashchange', () => (route.value = readRoute()));
  return route;
}

function readRoute(): Route {
  const [, view = '', id] = location.hash.split('/');
  return {
    view: views.find((each) => each === view) ?? 'requests',
    id: id === undefined || id === '' ? undefined : decodeURIComponent(id),
  };
}

/** Returns the address of a view or a record. */
export function toHref(view: string, id?: string): string {
  return `#/${view}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
}
