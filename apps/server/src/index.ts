export { readConfiguration, Refusal, type Configuration } from './foundation/config/index.ts';
export { runDemo } from './demo/index.ts';
export { isWhole, startKethub, type Kethub, type WholeKethub } from './kethub.ts';
export type { Platform } from './foundation/platform.ts';
export { openLogFile } from './foundation/process/index.ts';
