export { openDataFolder, takePart, workerIdOf } from './data-folder.ts';
export { createLog, withoutSecrets } from './log.ts';
export { openLogFile, type LogFile } from './log-file.ts';
export { usablePort } from './ports.ts';
export { createLastingThread, createThread, type ThreadAnswer, type ThreadLimits } from './in-thread.ts';
