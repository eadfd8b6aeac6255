import path from 'node:path';
import { ensureTools, runtimeTools, ToolsMissing } from './system-tools.ts';

// `npm start`: installs what the machine lacks, starts the platform in this process, and shows the demo.
const began = performance.now();
const say = (line: string): void => void process.stderr.write(`kethub: ${line}\n`);

try {
  ensureTools(runtimeTools, say);
} catch (error) {
  if (!(error instanceof ToolsMissing)) throw error;
  say(error.message);
  process.exit(1);
}

// Imported only now, because it cannot work without the tools.
const { isWhole, openLogFile, readConfiguration, Refusal, runDemo, startKethub } = await import('@kethub/server');

try {
  const configuration = readConfiguration(process.env);
  const { log, file, close } = openLogFile(configuration.dataDir, configuration.logLevel);
  const kethub = await startKethub(configuration, log);
  const { addresses } = kethub.platform;
  const outbox = path.join(configuration.dataDir, 'outbox');
  const mailLine = configuration.keycloak || configuration.mail.smtp ? '' : `  mail      ${outbox}\n`;
  process.stdout.write(
    `Kethub is ready after ${((performance.now() - began) / 1000).toFixed(1)} s\n` +
      `  platform  ${new URL(addresses.api).origin}\n  gateway   ${addresses.gateway}\n  data      ${configuration.dataDir}\n  log       ${file}\n${mailLine}`,
  );

  let stopping = false;
  const stop = (): void => {
    // A second Ctrl-C ends the start without waiting.
    if (stopping) process.exit(130);
    stopping = true;
    const running = kethub.running();
    process.stdout.write('\nStopping …\n');
    kethub.stop().then(
      () => {
        close();
        process.stdout.write(
          running > 0 ? `Stopped. ${running} executions go on and are collected at the next start.\n` : 'Stopped.\n',
        );
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  if (configuration.demo === 'auto' && isWhole(kethub)) {
    try {
      await runDemo(kethub, process.stdout);
    } catch (error) {
      if (!stopping) {
        log.error({ err: error }, 'the demo failed');
        say(
          `The demo failed: ${error instanceof Error ? error.message : String(error)}. The platform itself runs; the next start tries the demo again.`,
        );
      }
    }
  }
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  say(error.message);
  process.exitCode = 1;
}
