import { connectRuntime, type ExecutionJob } from '../index.ts';

/** A platform in a process of its own, to be killed. It starts one execution, prints when it runs, and stays. */
const [, , dataDir = '', job = ''] = process.argv;
const runtime = await connectRuntime({ dataDir, warmBytes: 0 });
const { executionId } = JSON.parse(job) as ExecutionJob;
runtime.onLog((id) => {
  if (id === executionId) console.log('it runs');
});
await runtime.start(JSON.parse(job) as ExecutionJob);
