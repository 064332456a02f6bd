import { load } from './load.ts';
import { callApi, readReport } from './report-api.ts';
import type { ClockView } from './types.ts';
import { type Choice, createMessages, State, type Store } from './state.ts';

/** Creates the state of the page of a report. */
export function createReportStore(): Store {
  const state = new State();
  const { title, error, origin } = readReport();
  state.connection.value = 'report';
  const readClock = async (): Promise<void> => {
    const { now, clock } = await callApi<ClockView>('GET', '/clock');
    state.overview.value = { now, clock, accounts: 0, faults: 0, fired: 0 };
  };
  void readClock();
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
