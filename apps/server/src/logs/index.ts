export { answerLog, logMedia } from './answer.ts';
export { keepLog, keptLogSource, type KeptLog, type LogSource } from './source.ts';
