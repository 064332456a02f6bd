// Mistake: remembers the handled events in the memory of one instance.
import { appendFileSync } from 'node:fs';
import { correct, place, start } from './application.ts';

const handled = new Set<string>();

start({
  ...correct,
  complete(reference, acknowledge) {
    if (!handled.has(reference)) appendFileSync(place('handled', reference), 'completed\n');
    handled.add(reference);
    acknowledge();
  },
});
