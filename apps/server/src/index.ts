export { readConfiguration, Refusal, type Configuration } from './config/index.ts';
export { runDemo } from './demo/index.ts';
export { isWhole, startKethub, type Kethub, type WholeKethub } from './kethub.ts';
export { openLogFile } from './process/index.ts';
