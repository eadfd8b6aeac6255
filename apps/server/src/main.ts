import { readConfiguration, Refusal } from './foundation/config/index.ts';
import { startKethub } from './kethub.ts';
import { createLog } from './foundation/process/index.ts';

// The platform as a service of a machine: configuration from the environment, log lines as JSON on stdout, ends on SIGTERM.
try {
  const configuration = readConfiguration(process.env);
  const log = createLog(configuration.logLevel);
  const kethub = await startKethub(configuration, log);
  log.info({ addresses: kethub.platform.addresses, dataDir: configuration.dataDir }, 'ready');
  const end = (signal: NodeJS.Signals): void => {
    log.info({ signal, running: kethub.running() }, 'stopping');
    kethub.stop().catch((error: unknown) => {
      log.error({ err: error }, 'could not stop cleanly');
      process.exitCode = 1;
    });
  };
  process.once('SIGTERM', end).once('SIGINT', end);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`kethub: ${error.message}\n`);
  process.exitCode = 1;
}
