import { createRoot } from 'react-dom/client';
import { Checkout } from './Checkout.tsx';

// A build replaces the condition by `false` and contains no sandbox.
if (import.meta.env.DEV)
  await (
    await import('./sandbox.ts')
  ).startSandbox(undefined, {
    load: () => sessionStorage.getItem('sandbox'), // survives a reload
    save: (text) => sessionStorage.setItem('sandbox', text),
  });

const container = document.getElementById('root');
if (container !== null) createRoot(container).render(<Checkout />);
