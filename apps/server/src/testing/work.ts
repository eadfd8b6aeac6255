import type { KyselyPlugin } from 'kysely';
import type { Platform } from '../foundation/platform.ts';
import type { Queries } from '../foundation/storage/index.ts';

/** The statements that a platform sent to its database, in order: kind and table of each. */
export interface Work {
  readonly platform: Platform;
  /** The statements since the last call. */
  taken(): string[];
}

/** Wraps a platform to record its statements. Compiled queries (`prepare`) count as one statement each. */
export function watchWork(platform: Platform): Work {
  let statements: string[] = [];
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      statements.push(`${node.kind} ${/"name":"(\w+)"/.exec(JSON.stringify(node))?.[1] ?? ''}`);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  const watched = (queries: Queries): Queries => queries.withPlugin(plugin);
  const { database } = platform;
  return {
    platform: {
      ...platform,
      database: {
        ...database,
        read: watched(database.read),
        write: (work) => database.write((transaction) => work(watched(transaction))),
        prepare: (query) => {
          const ask = database.prepare(query);
          return (parameters) => {
            statements.push('prepared');
            return ask(parameters);
          };
        },
        notify: (channel, payload) => database.notify(channel, payload),
        listen: (channel, listener) => database.listen(channel, listener),
        close: () => database.close(),
      },
    },
    taken() {
      const taken = statements;
      statements = [];
      return taken;
    },
  };
}
