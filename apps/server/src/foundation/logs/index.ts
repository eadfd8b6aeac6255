export { answerLog, answerLogFile, logContent, logProblems, type LogRequest } from './answer.ts';
export { isKept, keepLog, keptLogSource, type KeptLog, type LogSource, type StoredLog } from './source.ts';
export { copiedLog, onLogCopied } from './copied-source.ts';
export { LogCopier } from './copier.ts';
export { readCopies, removeCopies, removeStrayCopies } from './copies.ts';
