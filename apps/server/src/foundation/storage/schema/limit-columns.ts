/** Limits that a provider has set; null means not set. */
export interface LimitColumns {
  requests_per_minute: number | null;
  executions_per_day: number | null;
  executions_per_month: number | null;
}
