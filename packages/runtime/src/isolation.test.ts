import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBench, type Bench } from './testing/bench.ts';

let bench: Bench;
beforeAll(async () => {
  process.env['PLATFORM_SECRET'] = 'do-not-tell';
  bench = await openBench();
});
afterAll(async () => {
  delete process.env['PLATFORM_SECRET'];
  await bench.close();
});

/** The outcome of each statement inside: its value, or the number or name of its error. */
async function probe(statements: Record<string, string>): Promise<Record<string, unknown>> {
  const program = `
import os, sys, ctypes, socket, subprocess, signal, resource, json
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    value = libc.syscall(number, *arguments)
    return -ctypes.get_errno() if value == -1 else value
def attempt(statement):
    try:
        return eval(statement)
    except OSError as error:
        return f"errno {error.errno}" if error.errno else str(error)
    except Exception as error:
        return type(error).__name__
def run(statements):
    return {name: attempt(text) for name, text in statements.items()}`;
  return (await bench.result(program, { input: { statements } })) as Record<string, unknown>;
}

test('the program is uid 1000 without any privilege, under the system-call filter', async () => {
  const { status, ids, supplementary, limits } = await probe({
    status:
      '{l.split(":")[0]: l.split(":")[1].strip() for l in open("/proc/self/status") if l.startswith(("Cap", "NoNew", "Seccomp:"))}',
    ids: 'os.getresuid() + os.getresgid()',
    supplementary: 'os.getgroups()',
    limits: 'resource.getrlimit(resource.RLIMIT_CORE)',
  });
  const none = '0000000000000000';
  expect(status).toEqual({
    CapInh: none,
    CapPrm: none,
    CapEff: none,
    CapBnd: none,
    CapAmb: none,
    NoNewPrivs: '1',
    Seccomp: '2',
  });
  expect(ids).toEqual([1000, 1000, 1000, 1000, 1000, 1000]);
  expect(supplementary).toEqual([]);
  expect(limits).toEqual([0, 0]);
});

test('only /tmp and /var/runtime/output can be written', async () => {
  const folders = [
    '/',
    '/usr',
    '/usr/lib',
    '/etc',
    '/app',
    '/app/src',
    '/runner',
    '/var',
    '/var/runtime',
    '/dev',
    '/proc',
    '/proc/sys',
    '/root',
  ];
  const denied = await probe(Object.fromEntries(folders.map((folder) => [folder, `open("${folder}/x", "w").close()`])));
  for (const [folder, answer] of Object.entries(denied))
    expect([folder, answer]).toEqual([folder, expect.stringMatching(/^errno (1|2|13|30)$/)]);
  expect(
    await probe({
      tmp: 'open("/tmp/x", "w").write("1")',
      output: 'open("/var/runtime/output/x", "w").write("1")',
      cwd: 'os.getcwd()',
    }),
  ).toEqual({ tmp: 1, output: 1, cwd: '/var/runtime/output' });
});

test('every writable path is one of these two, however it is reached', async () => {
  const found = await probe({
    writable: '[f for f, _, _ in os.walk("/") if not f.startswith("/proc") and os.access(f, os.W_OK)]',
    mounts: '[l.split()[4] for l in open("/proc/self/mountinfo") if "rw" in l.split()[5].split(",")]',
  });
  expect(found['writable']).toEqual(['/var/runtime/output', '/tmp']);
  for (const mount of found['mounts'] as string[])
    expect(mount).toMatch(/^(\/tmp|\/var\/runtime\/output|\/proc|\/dev\/\w+)$/);
});

test('no file of this machine can be read', async () => {
  const secret = `${bench.dataDir}/secret`;
  writeFileSync(secret, 'x', { mode: 0o644 });
  const paths = [
    '/etc/shadow',
    '/etc/hostname',
    '/root',
    '/home',
    '/sys',
    '/run',
    '/boot',
    '/mnt',
    secret,
    bench.dataDir,
    process.execPath,
  ];
  const views = paths.flatMap((path) => [path, `/proc/1/root${path}`, `/proc/self/root${path}`, `/usr/../..${path}`]);
  const answers = await probe(Object.fromEntries(views.map((path) => [path, `os.stat("${path}").st_size`])));
  for (const path of views) expect([path, answers[path]]).toEqual([path, 'errno 2']);
  const { passwd, programs } = await probe({
    passwd: 'open("/etc/passwd").read()',
    programs: 'len(os.listdir("/usr/bin"))',
  });
  expect(passwd).not.toBe(readFileSync('/etc/passwd', 'utf8'));
  expect(programs).toBeLessThan(50);
});

test('nothing of the platform is in the environment, the descriptors or the command lines', async () => {
  const found = await probe({
    environment: 'dict(os.environ)',
    first: 'open("/proc/1/environ").read()',
    descriptors:
      '[d for d in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{d}") and int(d) not in (0, 1, 2, 1000)]',
    input: 'os.read(0, 10)  == b""',
    commands: '[open(f"/proc/{p}/cmdline").read() for p in os.listdir("/proc") if p.isdigit()]',
    processes: 'sorted(int(p) for p in os.listdir("/proc") if p.isdigit())',
    hostname: 'os.uname().nodename',
  });
  const text = JSON.stringify(found);
  expect(text).not.toContain('do-not-tell');
  expect(text).not.toContain('bench-');
  expect(Object.keys(found['environment'] as object).sort()).toEqual(
    [
      'HOME',
      'LANG',
      'LC_CTYPE',
      'MKL_NUM_THREADS',
      'OMP_NUM_THREADS',
      'OPENBLAS_NUM_THREADS',
      'PATH',
      'PWD',
      'SSL_CERT_FILE',
    ].filter((name) => Object.hasOwn(found['environment'] as object, name)),
  );
  expect(found).toMatchObject({ descriptors: [], input: true, processes: [1, 2], hostname: 'service' });
});

describe('network', () => {
  test('nothing outside can be reached, also not this machine', async () => {
    const server = createServer().listen(0, '0.0.0.0');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const found = await probe({
        loopback: `socket.create_connection(("127.0.0.1", ${port}), 2)`,
        outside: 'socket.create_connection(("1.1.1.1", 53), 2)',
        name: 'socket.getaddrinfo("example.org", 80)',
        interfaces: '[name for _, name in socket.if_nameindex()]',
        low: 'socket.socket().bind(("127.0.0.1", 80))',
        high: 'socket.socket().bind(("127.0.0.1", 8080))',
        runner: `socket.socket(socket.AF_UNIX).connect("${bench.dataDir}/runtime/runner.sock")`,
      });
      expect(found).toMatchObject({
        loopback: 'errno 111',
        outside: 'errno 101',
        low: 'errno 13',
        high: null,
        runner: 'errno 2',
      });
      expect(found['name']).toMatch(/errno|Name|Temporary/);
    } finally {
      server.close();
    }
  });

  test('socket families that leave the network namespace are refused', async () => {
    const families = { vsock: 40, netlink: 16, packet: 17, alg: 38, bluetooth: 31, tipc: 30, xdp: 44 };
    const answers = await probe(
      Object.fromEntries(Object.entries(families).map(([name, family]) => [name, `socket.socket(${family}, 3)`])),
    );
    for (const name of Object.keys(families)) expect([name, answers[name]]).toEqual([name, 'errno 97']);
  });
});

test.runIf(process.arch === 'x64')(
  'system calls towards the kernel, other processes and new namespaces are refused',
  async () => {
    const calls: Record<string, string> = {
    ptrace: '101, 16, 1, 0, 0', mount: '165, b"t", b"/tmp", b"tmpfs", 0, 0', umount: '166, b"/app", 2', pivot: '155, b"/tmp", b"/tmp"',
    chroot: '161, b"/tmp"', unshareUser: '272, 0x10000000', unshareMount: '272, 0x20000', cloneUser: '56, 0x10000011, 0, 0, 0, 0',
    setns: '308, 0, 0', keyctl: '250, 0, -3, 0', addKey: '248, b"user", b"x", b"y", 1, -3', bpf: '321, 0, 0, 0',
    ioUring: '425, 8, ctypes.create_string_buffer(120)', userfaultfd: '323, 0', perf: '298, ctypes.create_string_buffer(128), 0, -1, -1, 0',
    readv: '310, 1, 0, 0, 0, 0, 0', pidfdGetfd: '438, 0, 0, 0', handle: '304, -100, 0, 0', module: '175, 0, 0, 0', dmesg: '103, 3, 0, 0',
    reboot: '169, 0, 0, 0, 0', fsopen: '430, b"tmpfs", 0', personality: '135, 0x0040000',
  }; // prettier-ignore
    const answers = await probe(
      Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, `call(${call})`])),
    );
    for (const name of Object.keys(calls)) expect([name, answers[name]]).toEqual([name, -1]); // -EPERM
    const others = await probe({
      clone3: 'call(435, 0, 0)',
      x32: 'call(0x40000000 | 39)',
      setuid: 'os.setuid(0)',
      device: 'os.mknod("/tmp/d", 0o60600, os.makedev(254, 0))',
    });
    expect(others).toEqual({ clone3: -38, x32: -38, setuid: 'errno 22', device: 'errno 1' });
  },
);

test('priorities and the choice of the out-of-memory killer cannot be improved', async () => {
  expect(
    await probe({
      nice: 'os.setpriority(os.PRIO_PROCESS, 0, -20)',
      realtime: 'os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))',
      oom: 'open("/proc/self/oom_score_adj", "w", buffering=1).write("-1000\\n")',
      host: 'open("/proc/sys/kernel/core_pattern", "w")',
      trigger: 'open("/proc/sysrq-trigger", "w")',
      kernel: 'open("/proc/kcore", "rb")',
    }),
  ).toEqual({
    nice: 'errno 13', realtime: 'errno 1', oom: expect.stringMatching(/errno (1|13)/), host: expect.stringMatching(/errno/),
    trigger: expect.stringMatching(/errno/), kernel: expect.stringMatching(/errno/),
  }); // prettier-ignore
});

test('two executions at once see nothing of each other', async () => {
  const writer = await bench.startedWith(
    'ready',
    `
import time, socket
def run():
    open("/tmp/mine", "w").write("x")
    server = socket.socket(); server.bind(("127.0.0.1", 9999)); server.listen()
    hidden = socket.socket(socket.AF_UNIX); hidden.bind("\\0hidden"); hidden.listen()
    print("ready")
    time.sleep(60)`,
  );
  const found = await probe({
    tmp: 'os.listdir("/tmp")',
    output: 'os.listdir("/var/runtime/output")',
    port: 'socket.create_connection(("127.0.0.1", 9999), 1)',
    abstract: 'socket.socket(socket.AF_UNIX).connect("\\0hidden")',
    processes: 'len([p for p in os.listdir("/proc") if p.isdigit()])',
    signal: 'os.kill(-1, 0)',
  });
  expect(found).toMatchObject({ tmp: [], output: [], port: 'errno 111', abstract: 'errno 111', processes: 2 });
  const ended = bench.ended(writer.executionId);
  await bench.runtime.cancel(writer.executionId);
  await ended;
});

test('zero bytes cannot add options to the sandbox', async () => {
  const order = { environment: { HARMLESS: 'x\0--bind\0/\0/host' } };
  await expect(bench.run('def run(): return 1', order)).rejects.toThrow(/zero byte/);
  const pools = [{ parameter: '../../../etc', path: bench.dataDir, writable: true }];
  await expect(bench.run('def run(): return 1', { dataPools: pools })).rejects.toThrow(/cannot be a folder/);
});

test('what others do with shared files, and what the machine does, is not revealed', async () => {
  const found = await probe({
    watch: 'libc.inotify_init1(0)',
    notify: 'libc.fcntl(os.open("/usr/lib", os.O_RDONLY), 1026, 1)',
    lease: 'libc.fcntl(os.open("/usr/bin/python3", os.O_RDONLY), 1024, 0)',
    fcntl: 'libc.fcntl(1, 3) >= 0 and libc.fcntl(1, 1030, 10) >= 10',
    machine: '[open("/proc/" + name).read() for name in ("interrupts", "diskstats", "locks", "vmstat")]',
    needed: '"MemTotal" in open("/proc/meminfo").read() and "cpu" in open("/proc/stat").read()',
    folder:
      '[line.split()[3].split("/")[-2] for line in open("/proc/self/mountinfo") if " /var/runtime/output " in line]',
  });
  expect(found).toMatchObject({
    watch: -1,
    notify: -1,
    lease: -1,
    fcntl: true,
    machine: ['', '', '', ''],
    needed: true,
    folder: [expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)],
  });
});

test('another data folder has other users of the machine', async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'sandboxes run as we do');
  const other = await openBench();
  try {
    const waiting = 'import time\ndef run():\n    print("ready")\n    time.sleep(60)';
    const jobs = [await bench.startedWith('ready', waiting), await other.startedWith('ready', waiting)];
    const users = [bench, other].map(async ({ runtime }, index) => {
      const { running } = await runtime.status();
      const { pid = -1 } = running.find(({ executionId }) => executionId === jobs[index]?.executionId) ?? {};
      return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
    });
    const [first = 0, second = 0] = await Promise.all(users);
    expect(Math.min(first, second)).toBeGreaterThan(1_000);
    expect(Math.floor(first / 10_000)).not.toBe(Math.floor(second / 10_000));
    const ended = bench.ended(jobs[0]?.executionId ?? '');
    await bench.runtime.cancel(jobs[0]?.executionId ?? '');
    await ended;
  } finally {
    await other.close();
  }
});
