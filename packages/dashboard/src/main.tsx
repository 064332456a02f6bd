import { render } from 'preact';
import { App } from './app.tsx';
import { createRouter } from './router.ts';
import { createStore } from './store.ts';

const store = createStore();
const router = createRouter();
// The token is in the fragment, which no browser sends. It must not stay in the history.
const [, token] = /^#token=([\w\-.~+/=]+)$/.exec(location.hash) ?? [];
if (token !== undefined) {
  history.replaceState(null, '', location.pathname);
  void store.act(() => store.logIn(token));
}
const root = document.querySelector('#app');
if (root !== null) render(<App store={store} router={router} />, root);
