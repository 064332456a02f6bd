/**
 * The parts of a profile: the outcomes of payments, the names of refusals, and the types of rules, examples and forms.
 *
 * @module
 */
export { outcomes, refusals } from '@service/internal';
export type {
  AmountCondition,
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
  PaymentCondition,
  ProfileRateLimit,
  RateSettings,
  ReadLag,
  Refusal,
  RefusalExample,
  RefusalSettings,
  RowExamples,
  RowMoment,
  SimulatedOutcome,
  TextCondition,
  TimestampForm,
} from '@service/internal';
