export { readConfiguration, Refusal, type Configuration } from './config/index.ts';
export { runDemo } from './demo/index.ts';
export { startKethub, type Kethub } from './kethub.ts';
export { openLogFile } from './process/index.ts';
