/**
 * The parts of a profile: the outcomes of payments, the names of refusals, and the types of rules, examples and forms.
 *
 * @module
 */
export { outcomes, refusals } from '@service/internal';
export type {
  DeliveryFaults,
  Duration,
  DurationRange,
  Example,
  FeeRule,
  HeaderPlace,
  HeaderSettings,
  ObjectExample,
  OutcomeRule,
  PageExample,
  ProfileRateLimit,
  RateSettings,
  ReadLag,
  Refusal,
  RefusalExample,
  RefusalSettings,
  RowExamples,
  RowMoment,
  SimulatedOutcome,
  TimestampForm,
} from '@service/internal';
