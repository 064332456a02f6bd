export {
  type Exchange,
  type ExchangeMessage,
  type ExchangeRequest,
  type ExchangeResponse,
  formatExchange,
  parseRecording,
} from '../exchange.ts';
export { type ExtendedProfile, extendProfile } from './extend-profile.ts';
export { learnProfile } from './label.ts';
export { recordTraffic, type RecordTrafficOptions, type TrafficRecorder } from './traffic.ts';
