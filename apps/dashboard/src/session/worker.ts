import { TokenKeeper } from './token-keeper.ts';

// The shared worker of all tabs of a browser: one token in memory, one renewal for all, and sign-out told to every tab.

/** Question of a tab. */
export type Question =
  | { readonly id: number; readonly ask: 'token'; readonly refused: string | null }
  | { readonly ask: 'signed-out' }
  | { readonly ask: 'close' };

const keeper = new TokenKeeper();
const tabs = new Set<MessagePort>();

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  tabs.add(port);
  port.addEventListener('message', ({ data }: MessageEvent<Question>) => {
    if (data.ask === 'close') tabs.delete(port);
    else if (data.ask === 'signed-out') {
      keeper.forget();
      for (const tab of tabs) if (tab !== port) tab.postMessage({ told: 'signed-out' }, []);
    } else void keeper.token(data.refused).then((answer) => port.postMessage({ id: data.id, answer }));
  });
  port.start();
});
