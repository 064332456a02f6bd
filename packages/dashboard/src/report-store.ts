import { load } from './load.ts';
import { callApi, readReport } from './report-api.ts';
import type { ClockView } from './types.ts';
import { createMessages, createState, type Store } from './state.ts';

/** Creates the state of the page of a report. */
export function createReportStore(): Store {
  const state = createState();
  const { title, error, origin } = readReport();
  const readClock = async (): Promise<void> => {
    const { now, clock } = await callApi<ClockView>('GET', '/clock');
    state.overview.value = { now, clock, accounts: 0, faults: 0, fired: 0 };
  };
  void readClock();
  void load(state);
  return {
    ...state,
    report: { title, error },
    origin,
    select({ account = state.account.value, mode = state.mode.value }) {
      state.account.value = account;
      state.mode.value = mode;
      void load(state);
    },
    logIn: () => Promise.resolve(),
    ...createMessages(state),
  };
}
