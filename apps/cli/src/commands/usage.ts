import type { MonthlyUsage } from '@kethub/contract';
import type { Command } from 'commander';
import { usageFailure } from '../failures.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

interface UsageOptions extends CommonOptions {
  readonly month?: string;
  readonly revenue?: boolean;
}

export function addUsage(program: Command, shell: Shell): void {
  addCommand(program, 'usage', 'show the costs of a month on commercial plans')
    .option('--month <month>', 'yyyy-MM in UTC (default: this month)')
    .option('--revenue', 'show the revenue of your own services instead')
    .action((options: UsageOptions) => usage(shell, options));
}

async function usage(shell: Shell, { month, revenue = false, ...options }: UsageOptions): Promise<void> {
  const wanted = month ?? new Date().toISOString().slice(0, 7);
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(wanted))
    throw usageFailure('--month takes yyyy-MM.', 'ket usage --month 2026-01');
  const { platform } = await openSession(shell);
  const report = revenue ? await platform.readRevenue({ month: wanted }) : await platform.readCosts({ month: wanted });
  const output = outputOf(shell, options);
  if (report.lines.length === 0) output.note(`Nothing in ${wanted}.`);
  output.result(report.lines.length === 0 ? '' : tableOf(report), report);
}

function tableOf({ lines, totals }: MonthlyUsage): string {
  const header = ['SERVICE', 'PLAN', 'PRODUCT', 'AMOUNT', 'UNIT PRICE', 'COST'];
  const rows = lines.map((one) => [
    `${one.serviceName}@${one.version}`,
    one.pricingPlan,
    one.product,
    `${one.amount} ${one.unit}`,
    `${one.unitPrice} ${one.currency}`,
    `${one.cost} ${one.currency}`,
  ]);
  const sums = totals.map(({ currency, cost }) => ['', '', '', '', 'total', `${cost} ${currency}`]);
  return table(header, [...rows, ...sums]);
}
