/**
 * Runs a program whose only way to the network is the proxy at a socket: `node through-proxy.mts <socket> <program …>`.
 * It listens on the loopback of its own network namespace, since Git speaks to a proxy over TCP only.
 */
import { spawn } from 'node:child_process';
import { connect, createServer, type AddressInfo } from 'node:net';

const [, , socket = '', program = '', ...args] = process.argv;

const server = createServer((near) => {
  const far = connect(socket);
  const end = (): void => {
    near.destroy();
    far.destroy();
  };
  near.on('error', end);
  far.on('error', end);
  near.on('close', end);
  far.on('close', end);
  near.pipe(far);
  far.pipe(near);
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const proxy = `http://127.0.0.1:${port}`;
  const env = { ...process.env, https_proxy: proxy, HTTPS_PROXY: proxy };
  const child = spawn(program, args, { stdio: 'inherit', env });
  child.once('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(127);
  });
  child.once('exit', (code) => process.exit(code ?? 128));
});
