export { ConnectionFields } from './connections.ts';
export { LimitFields } from './limits.ts';
export { SchedulingFields } from './scheduling.ts';
export { SettingsSchema } from './settings.ts';
