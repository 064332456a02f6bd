import type { Experiment } from './context.ts';
import type { ProfileSetting } from './finding.ts';

/** The subjects of measurements, by their first setting. */
const subjects: { readonly [Name in ProfileSetting]?: string } = {
  fees: 'fees of amounts of each size',
  feeMode: 'fees of amounts of each size',
  currencies: 'changes of a rate',
  amountLimits: 'the smallest and the largest amount',
  textLimit: 'creates without funds',
  readLag: 'payments until they complete or fail',
  events: 'webhooks',
  ack: 'retries of webhooks',
  rateLimitHeaders: 'the rate limit',
};

/** The measurements in progress. */
export interface Progress {
  /** Adds a subject. Returns the function that removes it. */
  readonly start: (subject: string) => () => void;
}

/** Reports the subjects of the measurements in progress after each change, the longest one first. */
export function createProgress(onProgress: (subjects: readonly string[]) => void): Progress {
  const running = new Set<{ readonly subject: string }>();
  const report = (): void => {
    if (running.size > 0) onProgress([...new Set(Array.from(running, ({ subject }) => subject))]);
  };
  return {
    start: (subject) => {
      const entry = { subject };
      running.add(entry);
      report();
      return () => {
        running.delete(entry);
        report();
      };
    },
  };
}

/** Describes the subject of a measurement. */
export function describeSubject({ settings, subject = settings.join(', ') }: Experiment): string {
  const [first] = settings;
  return (first && subjects[first]) ?? subject;
}
