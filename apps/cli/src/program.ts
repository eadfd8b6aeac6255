import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { addAdmin } from './commands/admin.ts';
import { addApp } from './commands/app.ts';
import { addAudit } from './commands/audit.ts';
import { addCancel } from './commands/cancel.ts';
import { addCompletion } from './commands/completion.ts';
import { addCredentialHelper } from './commands/credential-helper.ts';
import { addDataPool } from './commands/datapool.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExecutions } from './commands/executions.ts';
import { addImport } from './commands/import.ts';
import { addFind } from './commands/find.ts';
import { addInit } from './commands/init.ts';
import { addLimits } from './commands/limits.ts';
import { addList } from './commands/list.ts';
import { addLogin, addLogout } from './commands/login.ts';
import { addLogs } from './commands/logs.ts';
import { addMarketplace } from './commands/marketplace.ts';
import { addOnPremise } from './commands/on-premise.ts';
import { addOpen } from './commands/open.ts';
import { addOrg } from './commands/org.ts';
import { addProfile } from './commands/profile.ts';
import { addRepo } from './commands/repo.ts';
import { addResult } from './commands/result.ts';
import { addRun } from './commands/run.ts';
import { addProviderToken } from './commands/provider-token.ts';
import { addOpenApi } from './commands/openapi.ts';
import { addServe } from './commands/serve.ts';
import { addTest } from './commands/test.ts';
import { addService } from './commands/service.ts';
import { addServices } from './commands/services.ts';
import { addShare, addShares, addUnshare } from './commands/share.ts';
import { addInput, addRecord } from './commands/record.ts';
import { addStatus } from './commands/status.ts';
import { addStorage } from './commands/storage.ts';
import { addToken } from './commands/token.ts';
import { addUp } from './commands/up.ts';
import { addUsage } from './commands/usage.ts';
import { addWatch } from './commands/watch.ts';
import { addWhoami } from './commands/whoami.ts';
import { addWorkflow } from './commands/workflow.ts';
import { exitCodes } from './failures.ts';
import type { Shell } from './shell.ts';

const commands = [
  addLogin,
  addLogout,
  addWhoami,
  addProfile,
  addInit,
  addImport,
  addServe,
  addTest,
  addOpenApi,
  addUp,
  addRun,
  addStatus,
  addResult,
  addLogs,
  addInput,
  addRecord,
  addCancel,
  addList,
  addFind,
  addWatch,
  addOpen,
  addExecutions,
  addStorage,
  addServices,
  addOnPremise,
  addService,
  addApp,
  addWorkflow,
  addProviderToken,
  addDataPool,
  addRepo,
  addCredentialHelper,
  addShare,
  addShares,
  addUnshare,
  addMarketplace,
  addUsage,
  addLimits,
  addOrg,
  addToken,
  addAudit,
  addAdmin,
  addDoctor,
  addCompletion,
];

/** All commands of `ket`, in the order in which a newcomer needs them. */
export function createProgram(shell: Shell): Command {
  const program = new Command('ket')
    .description('Publish code as a service on Kethub, and run it.')
    .version(version(), '--version', 'print the version')
    .option(
      '--in <organization>',
      'act for this organization (an id), or `me` for yourself (default: the organization chosen with `ket org use`)',
    )
    .option(
      '--profile <name>',
      'use the credentials of this profile (default: KET_PROFILE, or that of `ket profile use`)',
    )
    .helpOption('-h, --help', 'explain a command')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', `\nExit codes:\n${exitCodeLines().join('\n')}`);
  for (const add of commands) add(program, shell);
  program.hook('preAction', () => {
    const { in: organization, profile } = program.opts<{ in?: string; profile?: string }>();
    shell.organization = organization;
    shell.profile = profile;
  });
  for (const command of withSubcommands(program))
    command.exitOverride().configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
      // main reports it, in the requested form.
      outputError: () => undefined,
    });
  return program;
}

/** A command with all its subcommands. */
export function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function exitCodeLines(): string[] {
  return Object.values(exitCodes).map(({ code, about }) => `  ${String(code).padEnd(4)} ${about}`);
}

function version(): string {
  const file = path.join(import.meta.dirname, '../package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
