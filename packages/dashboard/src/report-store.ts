import { load } from './load.ts';
import { callApi, readReport } from './report-api.ts';
import type { ClockView } from './types.ts';
import { type Choice, createMessages, State, type Store } from './state.ts';

/** Creates the state of the page of a report. */
export function createReportStore(): Store {
  const state = new State();
  const { title, error, origin } = readReport();
  state.connection.value = 'report';
  void callApi<ClockView>('GET', '/clock').then(
    (clock) => (state.overview.value = { ...clock, version: '', accounts: 0, faults: 0, fired: 0 }),
  );
  void load(state);
  return Object.assign(state, {
    report: { title, error },
    origin,
    select({ account = state.account.value, mode = state.mode.value }: Choice) {
      state.account.value = account;
      state.mode.value = mode;
      void load(state);
    },
    logIn: () => Promise.resolve(),
    ...createMessages(state),
  });
}
