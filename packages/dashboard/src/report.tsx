import { render } from 'preact';
import { App } from './app.tsx';
import { createReportStore } from './report-store.ts';
import { createRouter } from './router.ts';

const root = document.querySelector('#app');
if (root !== null) render(<App store={createReportStore()} router={createRouter()} />, root);
