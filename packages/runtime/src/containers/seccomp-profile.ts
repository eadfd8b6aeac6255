/**
 * The system calls that programs in containers may make, in the engine's form. Everything else is refused. It is
 * stricter than the profiles of the engines: no namespaces, mounts, keys, io_uring, tracing or other processes' memory.
 * Sockets have three families only, because AF_VSOCK reaches the hypervisor from any network namespace.
 */

/**
 * From Linux arch/x86/entry/syscalls and include/uapi/asm-generic/unistd.h. The engine leaves out names that a machine
 * lacks.
 */
const ALLOWED = {
  files: `access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64
    fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fdatasync fgetxattr flistxattr flock fremovexattr fsetxattr fstat
    fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr
    ioctl lchown lgetxattr link linkat listxattr llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat
    mknod mknodat newfstatat open openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink
    readlinkat readv removexattr rename renameat renameat2 rmdir sendfile setxattr splice stat statfs statx symlink symlinkat sync
    sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat utimes vmsplice write writev`,
  memory: `brk madvise memfd_create membarrier mincore mlock mlock2 mlockall mmap mprotect mremap msync munlock munlockall
    munmap pkey_alloc pkey_free pkey_mprotect remap_file_pages`,
  processes: `capget capset execve execveat exit exit_group fork getcpu getegid geteuid getgid getgroups getpgid getpgrp getpid
    getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid ioprio_get ioprio_set kill pause pidfd_open
    pidfd_send_signal prctl prlimit64 process_mrelease sched_get_priority_max sched_get_priority_min sched_getaffinity
    sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam
    sched_setscheduler sched_yield seccomp setfsgid setfsuid setgid setgroups setpgid setpriority setregid setresgid setresuid
    setreuid setrlimit setsid setuid sysinfo tgkill tkill uname vfork wait4 waitid`,
  threads: `arch_prctl futex futex_requeue futex_wait futex_waitv futex_wake get_robust_list get_thread_area restart_syscall rseq
    set_robust_list set_thread_area set_tid_address`,
  signals: `alarm getitimer rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
    rt_tgsigqueueinfo setitimer sigaltstack signalfd signalfd4`,
  time: `clock_getres clock_gettime clock_nanosleep gettimeofday nanosleep time timer_create timer_delete timer_getoverrun
    timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times`,
  waiting: `epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 poll ppoll pselect6 select`,
  exchange: `accept accept4 bind connect getpeername getsockname getsockopt io_cancel io_destroy io_getevents io_pgetevents
    io_setup io_submit listen mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd
    pipe pipe2 recvfrom recvmmsg recvmsg semctl semget semop semtimedop sendmmsg sendmsg sendto setsockopt shmat shmctl shmdt shmget
    shutdown`,
  own: `getrandom landlock_add_rule landlock_create_ruleset landlock_restrict_self`,
};

const EAFNOSUPPORT = 97;
const ENOSYS = 38;
/** inotify would report what others do with shared files. */
const ABSENT = ['inotify_init', 'inotify_init1', 'inotify_add_watch', 'inotify_rm_watch'];
/**
 * Commands of fcntl except leases (1024, 1025) and dnotify (1026): all below these, and those for descriptors and
 * pipes.
 */
const FCNTL_BELOW = 0xfffffc00;
const FCNTL_MORE = [1030, 1031, 1032, 1033, 1034, 1035, 1036, 1037, 1038];
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const CLONE_NAMESPACES = 0x7e020000;
/** PER_LINUX, and the query for the current value. */
const PERSONALITIES = [0, 0xffffffff];

type Comparison = { index: number; value: number; valueTwo?: number; op: string };

const allow = (names: string[], ...args: Comparison[]) => ({ names, action: 'SCMP_ACT_ALLOW', args });
const refuse = (names: string[], errnoRet: number, ...args: Comparison[]) => ({
  names,
  action: 'SCMP_ACT_ERRNO',
  errnoRet,
  args,
});
const command = (mask: number, value: number): Comparison => ({
  index: 1,
  value: mask,
  valueTwo: value,
  op: 'SCMP_CMP_MASKED_EQ',
});
const equals = (value: number): Comparison => ({ index: 0, value, op: 'SCMP_CMP_EQ' });

/** The profile as JSON. 32-bit programs are refused: they would reach the same calls under other numbers. */
export function seccompProfile(): string {
  const families = [AF_UNIX, AF_INET, AF_INET6];
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 1,
    architectures: [process.arch === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'],
    syscalls: [
      allow(Object.values(ALLOWED).flatMap((names) => names.split(/\s+/))),
      ...families.map((family) => allow(['socket', 'socketpair'], equals(family))),
      refuse(['socket', 'socketpair'], EAFNOSUPPORT, { index: 0, value: AF_INET6, op: 'SCMP_CMP_GT' }),
      refuse(ABSENT, ENOSYS),
      allow(['fcntl'], command(FCNTL_BELOW, 0)),
      ...FCNTL_MORE.map((one) => allow(['fcntl'], command(0xffffffff, one))),
      ...PERSONALITIES.map((personality) => allow(['personality'], equals(personality))),
      allow(['clone'], { index: 0, value: CLONE_NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }),
      // A filter cannot follow the pointer to its flags. On ENOSYS the C library falls back to clone.
      refuse(['clone3'], ENOSYS),
    ],
  });
}
