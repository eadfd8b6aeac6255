/** The commands of a sandbox. Service programs may start them as subprocesses, or print with them what they see. */
export const COMMANDS = [
  'sh', 'cat', 'chmod', 'cp', 'cut', 'date', 'dirname', 'basename', 'echo', 'env', 'false', 'head', 'ln', 'ls', 'mkdir', 'mv', 'rm',
  'rmdir', 'sleep', 'sort', 'tail', 'tee', 'test', 'touch', 'tr', 'true', 'uname', 'wc', 'grep', 'sed', 'tar', 'gzip', 'prlimit',
]; // prettier-ignore
