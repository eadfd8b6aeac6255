import { EventStream } from './event-stream.ts';
import { tokensOf } from './sign-in.ts';
import { personOf } from './token-keeper.ts';

// The shared worker of all tabs of a browser: one token in memory, one renewal for all, one event stream.
// Every tab is notified of a sign-out.

/** Question of a tab. */
export type Question =
  | { readonly id: number; readonly ask: 'token'; readonly refused: string | null }
  | { readonly id: number; readonly ask: 'redeem'; readonly code: string; readonly verifier: string }
  | { readonly ask: 'events' }
  | { readonly ask: 'forget' }
  | { readonly ask: 'signed-out' }
  | { readonly ask: 'close' };

/** The name of the worker ends with the issuer where that is a realm of Keycloak. */
const tokens = tokensOf(self.name.split(' ')[1] ?? null, location.origin);
/** Every tab, with the person whose token it got last. */
const tabs = new Map<MessagePort, string | null>();
const listeners = new Set<MessagePort>();
const events = new EventStream(
  {
    token: (refused) => tokens.token(refused),
    onEvent: (event) => listeners.forEach((tab) => tab.postMessage({ event }, [])),
  },
  location.origin,
);

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  tabs.set(port, null);
  port.addEventListener('message', ({ data }: MessageEvent<Question>) => void answer(port, data));
  port.start();
});

async function answer(port: MessagePort, question: Question): Promise<void> {
  switch (question.ask) {
    case 'close':
      tabs.delete(port);
      listeners.delete(port);
      if (listeners.size === 0) events.close();
      return;
    case 'events':
      listeners.add(port);
      events.open();
      return;
    case 'forget':
      tokens.forget();
      return;
    case 'signed-out':
      tokens.forget();
      events.close();
      for (const tab of tabs.keys()) if (tab !== port) tab.postMessage({ notice: 'signed-out' }, []);
      return;
    default: {
      const given = await (question.ask === 'redeem' ? tokens.redeem(question) : tokens.token(question.refused));
      if ('token' in given) emptyTabsOfOthers(port, personOf(given.token));
      port.postMessage({ id: question.id, answer: given }, []);
      // Somebody has signed in again.
      if ('token' in given && listeners.size > 0) events.open();
    }
  }
}

/** Empties the tabs that show what belongs to another person: somebody else has signed in with this browser. */
function emptyTabsOfOthers(port: MessagePort, person: string | null): void {
  for (const [tab, before] of tabs)
    if (before !== null && before !== person) {
      tabs.set(tab, null);
      tab.postMessage({ notice: 'signed-out' }, []);
    }
  tabs.set(port, person);
}
