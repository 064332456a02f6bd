/**
 * The parts of a profile: the outcomes of payments, and the types of rules, examples and forms.
 *
 * @module
 */
export { outcomes } from '@service/internal';
export type {
  AmountCondition,
  DeliveryFaults,
  Duration,
  DurationRange,
  Example,
  FeeRule,
  HeaderSettings,
  ObjectExample,
  OutcomeRule,
  PageExample,
  PaymentCondition,
  ProfileRateLimit,
  RateSettings,
  ReadLag,
  RefusalExample,
  RowExamples,
  SimulatedOutcome,
  TextCondition,
  TimestampForm,
} from '@service/internal';
