/** Numbers of system calls that attacks make themselves: no program offers them. From the kernel's tables. */
interface Calls {
  readonly ptrace: number;
  readonly processVmReadv: number;
  readonly kcmp: number;
  readonly pidfdOpen: number;
  readonly pidfdGetfd: number;
  readonly unshare: number;
  readonly clone: number;
  readonly clone3: number;
  readonly ioUringSetup: number;
  readonly keyctl: number;
  readonly addKey: number;
  readonly userfaultfd: number;
  readonly nameToHandleAt: number;
  readonly getMempolicy: number;
  readonly vmsplice: number;
  readonly fsopen: number;
  readonly openTree: number;
  readonly mount: number;
  readonly personality: number;
  readonly ioctl: number;
  readonly mmap: number;
  readonly quotactl: number;
  readonly getpid: number;
  readonly setxattr: number;
}

const X64: Calls = {
  ptrace: 101, processVmReadv: 310, kcmp: 312, pidfdOpen: 434, pidfdGetfd: 438, unshare: 272, clone: 56, clone3: 435, ioUringSetup: 425, keyctl: 250, addKey: 248, userfaultfd: 323,
  nameToHandleAt: 303, getMempolicy: 239, vmsplice: 278, fsopen: 430, openTree: 428, mount: 165, personality: 135, ioctl: 16, mmap: 9, quotactl: 179, getpid: 39, setxattr: 188,
};

const ARM64: Calls = {
  ptrace: 117, processVmReadv: 270, kcmp: 272, pidfdOpen: 434, pidfdGetfd: 438, unshare: 97, clone: 220, clone3: 435, ioUringSetup: 425, keyctl: 219, addKey: 217, userfaultfd: 282,
  nameToHandleAt: 264, getMempolicy: 236, vmsplice: 75, fsopen: 430, openTree: 428, mount: 40, personality: 92, ioctl: 29, mmap: 222, quotactl: 60, getpid: 172, setxattr: 5,
};

export const CALLS: Calls = process.arch === 'arm64' ? ARM64 : X64;
