export { CallLimiter } from './call-limiter.ts';
export type { Admitted, LimiterTime } from './call-limiter.ts';
