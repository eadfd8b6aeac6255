import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDashboard, PROGRAM, type Dashboard } from '@kethub/dashboard/test/browser';
import { callerOf, type Caller } from '@kethub/server/testing/gateway';
import { deploy } from '@kethub/server/testing/kethub';
import { slurmSettings } from '@kethub/server/testing/slurm';
import { accountingTools, sacctmgr } from '../script/slurm/accounting.ts';
import { slurmTools, startSlurm, type Slurm } from '../script/slurm.ts';
import { ensureTools } from '../script/system-tools.ts';

const program = `
import time
def run(seconds: int = 0):
    print("on a node", flush=True)
    time.sleep(seconds)
    return "done"
`;
/** Options of sbatch by the name of a service. */
const OPTIONS = {
  Displaced: '--partition=spare',
  Brief: '--time=1',
  Beyond: '--qos=short --time=60',
  Limited: '--qos=single',
  Licensed: '--licenses=cplex:2',
} as const;
/** Milliseconds that two programs and the queue need on a busy machine. */
const LONG_MS = 240_000;

describe.skipIf(process.getuid?.() !== 0 || !existsSync(PROGRAM))(
  'what Slurm does to a job, as its owner sees it',
  () => {
    let slurm: Slurm;
    let dashboard: Dashboard;
    let folder: string;
    const apps = new Map<string, Caller>();

    beforeAll(async () => {
      ensureTools([...slurmTools, ...accountingTools], () => undefined);
      slurm = await startSlurm({ withAccounting: true });
      for (const words of [
        'account chem',
        'qos short MaxWall=2',
        'qos single GrpTRES=cpu=1',
        'user kethub-jobs account=chem qos=normal,short,single defaultqos=normal',
      ])
        expect(sacctmgr(slurm.configuration, 'add', ...words.split(' ')), words).toBe(true);
      folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-owners-'));
      const options = path.join(folder, 'services');
      writeFileSync(options, '');
      dashboard = await openDashboard({
        ...(await slurmSettings(slurm, folder)),
        KETHUB_SLURM_OPTIONS: '--partition=main --account=chem',
        KETHUB_SLURM_SERVICES_FILE: options,
      });
      const { kethub } = dashboard;
      const lines = ['# written by the operator, when the services were there'];
      for (const [name, words] of Object.entries(OPTIONS)) {
        const service = await deploy(kethub.client, name, { 'src/program.py': program });
        lines.push(`${service.service.id} ${words}`);
        apps.set(name, await callerOf(service));
      }
      writeFileSync(options, lines.join('\n'));
      await kethub.restart();
    }, LONG_MS);
    afterAll(async () => {
      await dashboard?.close();
      await slurm.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const of = (name: keyof typeof OPTIONS): Caller => {
      const app = apps.get(name);
      if (app === undefined) throw new Error(`There is no service ${name}`);
      return app;
    };
    const ask = (command: string, ...options: string[]): string =>
      execFileSync(command, options, {
        env: { PATH: '/usr/bin:/bin', SLURM_CONF: slurm.configuration },
        encoding: 'utf8',
        stdio: 'pipe',
      });
    /** All that Slurm shows of the job of an execution. */
    const jobOf = (id: string): string =>
    ask('scontrol', '--oneliner', 'show', 'job').split('\n').find((line) => line.includes(`-${id} `)) ?? ''; // prettier-ignore
    const found = (pattern: RegExp, text: string): string => pattern.exec(text)?.[1] ?? '';

    const started = async (app: Caller, words = 'on a node'): Promise<string> => {
      const { id } = await app.start({ seconds: 600 });
      await logHas(app, id, words);
      return id;
    };
    const logHas = (app: Caller, id: string, words: string): Promise<void> =>
      expect.poll(async () => (await app.request('GET', `/${id}/log`)).text, { timeout: 120_000 }).toContain(words);
    const statusOf = async (app: Caller, id: string): Promise<unknown> =>
      Reflect.get(Object((await app.request('GET', `/${id}`)).body), 'status');
    const endOf = async (app: Caller, id: string): Promise<unknown> => {
      const isOpen = async (): Promise<boolean> => /PENDING|RUNNING/.test(String(await statusOf(app, id)));
      await expect.poll(isOpen, { timeout: 180_000 }).toBe(false);
      return statusOf(app, id);
    };

    /** Opens the page of an execution, and waits until it shows this status, and these words in its log. */
    const shown = async (id: string, status: string, ...log: string[]): Promise<void> => {
      const { page, origin } = dashboard;
      await page.goto(`${origin}/me/executions/${id}`);
      const panel = page.getByRole('region', { name: 'Execution' });
      await panel.getByRole('status').getByText(status, { exact: true }).waitFor();
      await panel.getByRole('tab', { name: 'Log' }).click();
      for (const words of log) await panel.getByRole('log').getByText(words).first().waitFor();
    };
    /** The same of one that has failed, with its cause. */
    const failed = async (app: Caller, id: string, title: string, detail: string): Promise<void> => {
      expect(await endOf(app, id)).toBe('FAILED');
      expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({
        title,
        detail: expect.stringContaining(detail) as string,
      });
      await logHas(app, id, `${title}: `);
      await shown(id, 'Failed', detail);
      await dashboard.page.getByRole('tab', { name: 'Result' }).click();
      const alert = dashboard.page.getByRole('alert');
      await alert.getByText(title, { exact: true }).waitFor();
      await alert.getByText(detail).waitFor();
    };

    test(
      'it gives its place to a more urgent one',
      async () => {
        const app = of('Displaced');
        const id = await started(app);
        const node = found(/\bNodeList=(node\d)/, jobOf(id));
        ask('sbatch', '--partition=urgent', '--account=chem', '--exclusive', `--nodelist=${node}`, '--output=/dev/null', `--uid=${slurm.uid}`, '--chdir=/', '--wrap=sleep 1'); // prettier-ignore
        await failed(app, id, 'Job preempted', 'in favour of one with a higher priority');
      },
      LONG_MS,
    );

    test(
      'its time is over',
      async () => {
        const app = of('Brief');
        const id = await started(app);
        expect(jobOf(id)).toMatch(/ TimeLimit=00:01:00 /);
        // Slurm looks every 30 s for jobs whose time is over. The minute before that is not waited for.
        ask('scontrol', 'update', `jobid=${found(/JobId=(\d+)/, jobOf(id))}`, 'EndTime=now');
        await failed(app, id, 'Run time limit exceeded', 'because its time was over');
      },
      LONG_MS,
    );

    test(
      'it is longer than its QOS allows',
      async () => {
        const app = of('Beyond');
        const { id } = await app.start({});
        await failed(app, id, 'Beyond a limit of the cluster', 'QOSMaxWallDurationPerJobLimit');
        expect(jobOf(id)).toMatch(/ JobState=CANCELLED /);
      },
      LONG_MS,
    );

    test.each([
      ['a limit of its QOS', 'Limited', 'Its QOS has reached a limit of the cluster. Slurm says: QOSGrpCpuLimit'],
      ['a licence', 'Licensed', 'A licence that it asks for is in use. Slurm says: Licenses'],
    ] as const)(
      'it waits for %s, and goes on',
      async (_what, name, words) => {
        const app = of(name);
        const first = await started(app);
        const { id } = await app.start({});
        await logHas(app, id, words);
        expect(await statusOf(app, id)).toBe('RUNNING');
        await shown(id, 'Running', 'The cluster has not started the program yet', words);
        await app.request('PUT', `/${first}/cancel`);
        expect(await endOf(app, id)).toBe('SUCCEEDED');
        await shown(id, 'Succeeded', words, 'on a node');
        expect(await endOf(app, first)).toBe('CANCELLED');
        await shown(first, 'Cancelled', 'on a node');
      },
      LONG_MS,
    );

    test(
      'it waits while the platform loses its folder, and leaves the queue when nobody waits for it any more',
      async () => {
        const app = of('Licensed');
        const first = await started(app);
        const { id } = await app.start({});
        await logHas(app, id, 'A licence that it asks for is in use');
        const { kethub } = dashboard;
        const number = found(/JobId=(\d+)/, jobOf(id));
        rmSync(path.join(kethub.dataDir, 'slurm', id), { recursive: true });
        await app.request('PUT', `/${id}/cancel`);
        await kethub.restart();
        const stateOf = (): string => found(/\bJobState=(\S+)/, ask('scontrol', '--oneliner', 'show', 'job', number));
        await expect.poll(stateOf, { timeout: 120_000 }).toBe('CANCELLED');
        expect(await statusOf(app, id)).toBe('CANCELLED');
        expect(jobOf(first)).toMatch(/ JobState=RUNNING /);
        await app.request('PUT', `/${first}/cancel`);
        expect(await endOf(app, first)).toBe('CANCELLED');
      },
      LONG_MS,
    );
  },
);
