export { openDataFolder, takePart, tryPart, workerIdOf } from './data-folder.ts';
export { createLog, withoutSecrets } from './log.ts';
export { openLogFile } from './log-file.ts';
export { programVersion } from './program-version.ts';
export { isAlone, passedSockets, usablePort, usablePorts, type Ports, type SocketName } from './ports.ts';
export { createLastingThread, createThread } from './in-thread.ts';
export { reachRuntime, requireSandbox } from './user-code.ts';
