/**
 * The system-call filter of every sandbox: classic BPF (struct sock_filter[], little endian) for `bwrap --seccomp FD`.
 * It is a deny list of three kinds of calls:
 * - calls that reach the kernel's privileged surface: mounts, namespaces, keys, BPF, io_uring, other processes;
 * - calls that leave the network namespace: AF_VSOCK reaches the hypervisor from any network namespace (verified);
 * - calls that report what others do with shared files: inotify, dnotify, leases.
 */

interface SystemCalls {
  architecture: number;
  denied: Readonly<Record<string, number>>;
  clone: number;
  clone3: number;
  socket: number;
  socketpair: number;
  ioctl: number;
  fcntl: number;
  personality: number;
  /** Calls refused with ENOSYS, as if the kernel did not have them. */
  absent: Readonly<Record<string, number>>;
}

// Linux arch/x86/entry/syscalls/syscall_64.tbl.
const x64: SystemCalls = {
  architecture: 0xc000003e,
  clone: 56,
  clone3: 435,
  socket: 41,
  socketpair: 53,
  ioctl: 16,
  fcntl: 72,
  absent: { inotify_init: 253, inotify_add_watch: 254, inotify_init1: 294 },
  personality: 135,
  denied: {
    ptrace: 101, syslog: 103, uselib: 134, vhangup: 153, modify_ldt: 154, pivot_root: 155, adjtimex: 159, chroot: 161,
    acct: 163, settimeofday: 164, mount: 165, umount2: 166, swapon: 167, swapoff: 168, reboot: 169, sethostname: 170,
    setdomainname: 171, iopl: 172, ioperm: 173, init_module: 175, delete_module: 176, quotactl: 179, lookup_dcookie: 212,
    clock_settime: 227, mbind: 237, set_mempolicy: 238, kexec_load: 246, add_key: 248, request_key: 249, keyctl: 250,
    migrate_pages: 256, unshare: 272, move_pages: 279, perf_event_open: 298, fanotify_init: 300, name_to_handle_at: 303,
    open_by_handle_at: 304, clock_adjtime: 305, setns: 308, process_vm_readv: 310, process_vm_writev: 311, kcmp: 312,
    finit_module: 313, kexec_file_load: 320, bpf: 321, userfaultfd: 323, io_uring_setup: 425, io_uring_enter: 426,
    io_uring_register: 427, open_tree: 428, move_mount: 429, fsopen: 430, fsconfig: 431, fsmount: 432, fspick: 433,
    pidfd_getfd: 438, process_madvise: 440, mount_setattr: 442, quotactl_fd: 443,
  },
}; // prettier-ignore

// Linux include/uapi/asm-generic/unistd.h.
const arm64: SystemCalls = {
  architecture: 0xc00000b7,
  clone: 220,
  clone3: 435,
  socket: 198,
  socketpair: 199,
  ioctl: 29,
  fcntl: 25,
  absent: { inotify_init1: 26, inotify_add_watch: 27 },
  personality: 92,
  denied: {
    lookup_dcookie: 18, umount2: 39, mount: 40, pivot_root: 41, chroot: 51, vhangup: 58, quotactl: 60, acct: 89, unshare: 97,
    kexec_load: 104, init_module: 105, delete_module: 106, clock_settime: 112, syslog: 116, ptrace: 117, reboot: 142,
    sethostname: 161, setdomainname: 162, settimeofday: 170, adjtimex: 171, add_key: 217, request_key: 218, keyctl: 219,
    swapon: 224, swapoff: 225, mbind: 235, set_mempolicy: 237, migrate_pages: 238, move_pages: 239, perf_event_open: 241,
    fanotify_init: 262, name_to_handle_at: 264, open_by_handle_at: 265, clock_adjtime: 266, setns: 268, process_vm_readv: 270,
    process_vm_writev: 271, kcmp: 272, finit_module: 273, bpf: 280, userfaultfd: 282, kexec_file_load: 294, io_uring_setup: 425,
    io_uring_enter: 426, io_uring_register: 427, open_tree: 428, move_mount: 429, fsopen: 430, fsconfig: 431, fsmount: 432,
    fspick: 433, pidfd_getfd: 438, process_madvise: 440, mount_setattr: 442, quotactl_fd: 443,
  },
}; // prettier-ignore

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

// Offsets into struct seccomp_data. Arguments have 64 bits; the filter compares their low words only (little endian).
const NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENT_0 = 16;
const ARGUMENT_1 = 24;
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const ifEqual = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value];
const ifAtLeast = (value: number, yes: number, no: number): Instruction => [0x35, yes, no, value];
const ifAnyBit = (bits: number, yes: number, no: number): Instruction => [0x45, yes, no, bits];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const ALLOW = answer(0x7fff0000);
const KILL_PROCESS = answer(0x80000000);
const refuse = (errno: number): Instruction => answer(0x00050000 | errno);
const EPERM = refuse(1);
const ENOSYS = refuse(38);
const EAFNOSUPPORT = refuse(97);

const X32_ABI = 0x40000000;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. Only clone3 and unshare know CLONE_NEWTIME. */
const CLONE_NAMESPACES = 0x7e020000;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** Commands of fcntl that report accesses to files that others use as well. inotify does so, too, and is absent. */
const F_SETLEASE = 1024;
const F_NOTIFY = 1026;
/** PER_LINUX, and the query for the current value; not ADDR_NO_RANDOMIZE. */
const PERSONALITY_LINUX = 0;
const PERSONALITY_ASK = 0xffffffff;

function instructions(calls: SystemCalls): Instruction[] {
  return [
    load(ARCHITECTURE),
    ifEqual(calls.architecture, 1, 0),
    KILL_PROCESS,
    load(NUMBER),
    ifAtLeast(X32_ABI, 0, 1),
    ENOSYS,
    ...Object.values(calls.denied).flatMap((number) => [ifEqual(number, 0, 1), EPERM]),
    ...Object.values(calls.absent).flatMap((number) => [ifEqual(number, 0, 1), ENOSYS]),
    // A filter cannot follow the pointer to the flags of clone3. On ENOSYS glibc falls back to clone.
    ifEqual(calls.clone3, 0, 1),
    ENOSYS,
    ifEqual(calls.clone, 0, 4),
    load(ARGUMENT_0),
    ifAnyBit(CLONE_NAMESPACES, 0, 1),
    EPERM,
    ALLOW,
    ifEqual(calls.socket, 1, 0),
    ifEqual(calls.socketpair, 0, 6),
    load(ARGUMENT_0),
    ifEqual(AF_UNIX, 3, 0),
    ifEqual(AF_INET, 2, 0),
    ifEqual(AF_INET6, 1, 0),
    EAFNOSUPPORT,
    ALLOW,
    ifEqual(calls.ioctl, 0, 5),
    load(ARGUMENT_1),
    ifEqual(TIOCSTI, 1, 0),
    ifEqual(TIOCLINUX, 0, 1),
    EPERM,
    ALLOW,
    ifEqual(calls.fcntl, 0, 5),
    load(ARGUMENT_1),
    ifEqual(F_SETLEASE, 1, 0),
    ifEqual(F_NOTIFY, 0, 1),
    EPERM,
    ALLOW,
    ifEqual(calls.personality, 0, 5),
    load(ARGUMENT_0),
    ifEqual(PERSONALITY_LINUX, 2, 0),
    ifEqual(PERSONALITY_ASK, 1, 0),
    EPERM,
    ALLOW,
    ALLOW,
  ];
}

/** Returns the filter for an architecture as `process.arch` names it, or null when there is no table for it. */
export function seccompFilter(architecture: string): Buffer | null {
  const calls = architecture === 'x64' ? x64 : architecture === 'arm64' ? arm64 : null;
  if (calls === null) return null;
  const program = instructions(calls);
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}
