/**
 * The parts of a profile: the outcomes of payments, and the types of rules, templates and forms.
 *
 * @module
 */
export { outcomes } from '@service/internal';
export type {
  AmountCondition,
  DeliveryFaults,
  Duration,
  DurationRange,
  ExtraStatus,
  FeeRule,
  HeaderTemplates,
  ObjectTemplate,
  OutcomeRule,
  PageTemplate,
  PaymentCondition,
  ProfileRateLimit,
  ReadLag,
  RefusalTemplate,
  RowTemplate,
  SimulatedOutcome,
  StatusDurations,
  Template,
  TextCondition,
  TimestampForm,
} from '@service/internal';
