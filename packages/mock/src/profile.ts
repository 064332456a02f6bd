/**
 * The types of the parts of a profile: rules, templates and forms.
 *
 * @module
 */
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
