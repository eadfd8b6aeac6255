import { once } from 'node:events';
import { Engine } from 'bpmn-engine';
import { bpmn } from '@kethub/server/testing/workflows';

const MILLISECONDS = 3_000;

/** Instances per second of a process with so many service tasks in sequence, which answer at once. */
export async function bpmnEngineRate(count: number): Promise<number> {
  const ids = Array.from({ length: count }, (_value, number) => `task${number}`);
  const { chain, end, file, start } = bpmn;
  const tasks = ids.map((id) => `<serviceTask id="${id}" implementation="\${environment.services.answer}"/>`);
  const source = file([start('start'), ...tasks, end('end'), chain('start', ...ids, 'end')]);
  const engine = new Engine({ source });
  const services = { answer: (_scope: unknown, done: (error: null, n: number) => void) => done(null, 1) };
  const began = performance.now();
  let instances = 0;
  while (performance.now() - began < MILLISECONDS) {
    const ended = once(engine, 'end');
    await engine.execute({ services });
    await ended;
    instances += 1;
  }
  return (instances / (performance.now() - began)) * 1000;
}
