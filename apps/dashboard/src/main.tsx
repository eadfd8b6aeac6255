import './look/mantine-styles.ts';
import '@fontsource-variable/inter/wght.css';
import './look/fonts/inter-latin.css';
import './look/look.css';
import './look/screens.css';
import { KethubError } from '@kethub/client';
import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { SessionContext } from './data/context.tsx';
import { followChanges, isRenewed } from './data/live.ts';
import { theme } from './look/theme.ts';
import { router } from './routes.tsx';
import { openSession } from './session/session.ts';

/** Times that a request is tried again when the platform does not answer, or answers that it cannot at the moment. */
const RETRIES = 3;

const session = openSession();
/** A refusal may mean that a role or the account was taken away: the session is read again, and the screen follows it. */
const onError = (error: unknown): void => {
  if (error instanceof KethubError && error.status === 403) void queries.invalidateQueries({ queryKey: ['session'] });
};
const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      retry: (count, error) =>
        count < RETRIES && (!(error instanceof KethubError) || error.status >= 500 || error.status === 429),
      refetchOnWindowFocus: isRenewed,
      refetchOnReconnect: isRenewed,
      refetchOnMount: isRenewed,
    },
  },
});
followChanges(session, queries);
const nonce = document.querySelector<HTMLMetaElement>('meta[name="kethub-nonce"]')?.content ?? '';
const scheme = localStorageColorSchemeManager({ key: 'kethub-color-scheme' });
const element = document.querySelector('#root');
if (!element) throw new Error('index.html has no element with the id root');

createRoot(element).render(
  <StrictMode>
    <MantineProvider theme={theme} colorSchemeManager={scheme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <SessionContext value={session}>
          <RouterProvider router={router} />
        </SessionContext>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
