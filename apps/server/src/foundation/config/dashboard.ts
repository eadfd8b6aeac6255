import { Type, type Static, type TObject } from 'typebox';

/** `auto` builds the dashboard when needed, `off` serves none, a path names a folder with a finished build. */
export type DashboardSetting = 'auto' | 'off' | { readonly folder: string };

export const DashboardFields = {
  KETHUB_DASHBOARD: Type.String({
    default: 'auto',
    pattern: '^(auto|off|/.+)$',
    description:
      'Dashboard in the browser. `auto` builds it beside the running platform at the first start and keeps the build. `off` serves the plain first page only. A path names the folder of a finished build (`apps/dashboard/build.ts`).',
  }),
};

export function dashboardOf({ KETHUB_DASHBOARD: setting }: Static<TObject<typeof DashboardFields>>): DashboardSetting {
  if (setting === 'off') return 'off';
  return setting === 'auto' ? 'auto' : { folder: setting };
}
