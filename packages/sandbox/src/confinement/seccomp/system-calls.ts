/** What a filter has to know of one processor architecture. */
export interface Architecture {
  /** `AUDIT_ARCH_…` of linux/audit.h. */
  readonly audit: number;
  /** Numbers from here on belong to another calling convention of the same processor (x32). Undefined: there is none. */
  readonly foreignFrom: number | undefined;
  readonly numbers: Readonly<Record<SpecialCall, number>>;
  readonly denied: readonly number[];
  /** Those of which a program is told that the file system does not have them. */
  readonly unsupported: readonly number[];
  readonly modes: readonly ModeCall[];
}

/** A system call that gives a file its mode. */
export interface ModeCall {
  readonly number: number;
  /** Which of its arguments the mode is, counted from 0. */
  readonly mode: number;
  /** Which one says whether a file is made at all. Undefined: the mode always counts. */
  readonly flags?: number;
}

/** System calls of which it depends on the arguments. */
export type SpecialCall = 'clone' | 'clone3' | 'ioctl' | 'openat2' | 'personality' | 'socket' | 'socketpair';

/**
 * The newest system call that was looked at, `file_setattr` of Linux 6.17. From 424 on all architectures share their
 * numbers. What a later kernel adds is not there for whoever runs in a box, until somebody has looked at it.
 */
export const NEWEST_KNOWN_CALL = 469;

/**
 * What no build, test or script needs, and what exploits of the kernel begin with. Numbers on x64 and on arm64, from the
 * kernel's `unistd_64.h` and `asm-generic/unistd.h`; null: the architecture has no such call.
 */
const DENIED: Readonly<Record<string, readonly [x64: number, arm64: number | null]>> = {
  // Looks into, or acts as, other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  // Changes what is mounted where.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  // Makes or enters namespaces.
  unshare: [272, 97],
  setns: [308, 268],
  // Large parts of the kernel that a box has no need of.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  vmsplice: [278, 75],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  // Opens files past their folders.
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  // Belongs to whoever runs the machine.
  create_module: [174, null],
  get_kernel_syms: [177, null],
  query_module: [178, null],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  syslog: [103, 116],
  vhangup: [153, 58],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  // Where memory lies: an old source of holes.
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  get_mempolicy: [239, 236],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  set_mempolicy_home_node: [450, 450],
  // Nobody has used these for decades.
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  uselib: [134, null],
  ustat: [136, null],
  sysfs: [139, null],
  _sysctl: [156, null],
};

/**
 * They give a file or folder an access list. A default list on the project's root gives other accounts the right to write what
 * the user makes there later, whatever the umask, and no mode shows it. The name of the attribute lies in memory, where no
 * filter sees it, so all attributes go. `cp -a`, `tar` and `rsync` know file systems without them, and go on.
 */
const UNSUPPORTED: typeof DENIED = {
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  setxattrat: [463, 463],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  removexattrat: [466, 466],
};

/** All that give a file its mode by an argument. `openat2` has it in memory, where no filter sees it. */
const MODES: Readonly<Record<string, Omit<ModeCall, 'number'> & { readonly numbers: readonly [x64: number, arm64: number | null] }>> = {
  chmod: { numbers: [90, null], mode: 1 },
  fchmod: { numbers: [91, 52], mode: 1 },
  fchmodat: { numbers: [268, 53], mode: 2 },
  fchmodat2: { numbers: [452, 452], mode: 2 },
  creat: { numbers: [85, null], mode: 1 },
  mknod: { numbers: [133, null], mode: 1 },
  mknodat: { numbers: [259, 33], mode: 2 },
  open: { numbers: [2, null], mode: 2, flags: 1 },
  openat: { numbers: [257, 56], mode: 3, flags: 2 },
};

const X64: Architecture = {
  audit: 0xc000_003e,
  foreignFrom: 0x4000_0000,
  numbers: { clone: 56, clone3: 435, ioctl: 16, openat2: 437, personality: 135, socket: 41, socketpair: 53 },
  denied: Object.values(DENIED).map(([x64]) => x64),
  unsupported: Object.values(UNSUPPORTED).map(([x64]) => x64),
  modes: Object.values(MODES).map(({ numbers: [number], ...words }) => ({ number, ...words })),
};

const ARM64: Architecture = {
  audit: 0xc000_00b7,
  foreignFrom: undefined,
  numbers: { clone: 220, clone3: 435, ioctl: 29, openat2: 437, personality: 92, socket: 198, socketpair: 199 },
  denied: Object.values(DENIED).flatMap(([, arm64]) => arm64 ?? []),
  unsupported: Object.values(UNSUPPORTED).flatMap(([, arm64]) => arm64 ?? []),
  modes: Object.values(MODES).flatMap(({ numbers: [, number], ...words }) => (number === null ? [] : [{ number, ...words }])),
};

/** Undefined for a processor of which nobody has looked up the numbers: then there is no filter, and nothing runs. */
export function architectureOf(name: string): Architecture | undefined {
  if (name === 'x64') return X64;
  return name === 'arm64' ? ARM64 : undefined;
}
