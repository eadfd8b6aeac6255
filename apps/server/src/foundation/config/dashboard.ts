import { Type, type Static, type TObject } from 'typebox';

/** `auto` builds the dashboard when needed, `off` serves none, a path names a folder with a finished build. */
export type DashboardSetting = 'auto' | 'off' | { readonly folder: string };

export const DashboardFields = {
  KETHUB_DASHBOARD: Type.String({
    default: 'auto',
    pattern: '^(auto|off|/.+)$',
    description:
      'Dashboard in the browser: `auto` builds it beside the running platform at the first start and keeps the build; `off` serves the plain first page only; a path names the folder of a finished build (`apps/dashboard/build.ts`). Always `off` with a Keycloak.',
  }),
};

/** The dashboard renews its token on its own origin, which only the embedded identity provider shares. */
export function dashboardOf(given: Static<TObject<typeof DashboardFields>>, isEmbedded: boolean): DashboardSetting {
  const { KETHUB_DASHBOARD: setting } = given;
  if (!isEmbedded || setting === 'off') return 'off';
  return setting === 'auto' ? 'auto' : { folder: setting };
}
