import { renewCommands } from './commands.ts';
import { renewConfiguration } from './configuration.ts';
import { renewDependencies } from './dependencies.ts';
import { renewLimits } from './limits.ts';
import { renewMonitoring } from './monitoring.ts';
import { renewAccounts, renewNumbers, renewProfile } from './numbers.ts';

/** A page with generated parts. */
export interface Page {
  /** Relative to the root. */
  readonly file: string;
  /** Returns the page as it should be, given the page as it is. */
  renew(page: string): string;
}

export const pages: readonly Page[] = [
  { file: 'docs/cli.md', renew: renewCommands },
  { file: 'docs/configuration.md', renew: renewConfiguration },
  { file: 'SPECIFICATION.md', renew: (page) => renewAccounts(renewProfile(renewNumbers(page))) },
  { file: 'docs/limits.md', renew: renewLimits },
  { file: 'docs/monitoring.md', renew: renewMonitoring },
  { file: 'docs/dependencies.md', renew: renewDependencies },
];
