import { readFileSync } from 'node:fs';

/** Why boxes cannot be made here, and what mends it: both for the operator. */
export interface Obstacle {
  readonly detail: string;
  readonly fix: string;
}

/** What the words that bwrap ends with mean. It always ends with the same code, so its words are all there is. */
const KNOWN: readonly (readonly [words: RegExp, obstacle: () => Obstacle])[] = [
  [/Can't find source path \S+: Permission denied/, closedToAccount],
  [/setting up uid map: (Operation not permitted|Permission denied)/, deniedMap],
  [/nesting depth|max_[a-z]{1,16}_namespaces|No space left on device/i, exhausted],
  [/Creating new namespace failed|No permissions to create( a)? new namespace|Operation not permitted|Permission denied/i, deniedNamespace],
  [/Unknown option (--\S+)/, outdated],
  [/Function not implemented|PR_SET_SECCOMP/i, noFilters],
];

export function describeFailure(words: string): Obstacle {
  const known = KNOWN.find(([pattern]) => pattern.test(words));
  return known?.[1]() ?? { detail: `bwrap says: ${firstLine(words)}`, fix: 'Find out what keeps bwrap from working: bwrap --unshare-all --ro-bind / / true' };
}

function closedToAccount(): Obstacle {
  return {
    detail: 'the account of sandboxes may not read a folder that they need, such as that of Node',
    fix: 'Install Node where every account may read it, or leave out "sandbox": {"account": …}',
  };
}

function deniedNamespace(): Obstacle {
  if (readSetting('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1') {
    return {
      detail: 'AppArmor keeps programs without a profile from making user namespaces',
      fix: 'Give bwrap a profile: sudo apt-get install apparmor-profiles && sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo systemctl reload apparmor',
    };
  }
  if (readSetting('/proc/sys/kernel/unprivileged_userns_clone') === '0') {
    return { detail: 'the kernel lets only root make user namespaces', fix: 'sudo sysctl -w kernel.unprivileged_userns_clone=1' };
  }
  return {
    detail: 'this account may not make namespaces: a container around devs may forbid it',
    fix: 'In a container, let it: docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined',
  };
}

function deniedMap(): Obstacle {
  return {
    detail: 'root without the capability CAP_SETFCAP, or within a limited user namespace, may not map its own number',
    fix: 'Run devs as an ordinary user, or give its container the capability: docker run --cap-add SETFCAP',
  };
}

function exhausted(): Obstacle {
  return {
    detail: 'no more user namespaces can be created here: their limit is used up or zero, or devs itself runs in a sandbox',
    fix: 'sudo sysctl -w user.max_user_namespaces=28633',
  };
}

function outdated(): Obstacle {
  return { detail: 'this bubblewrap is too old: devs needs 0.8 or later', fix: 'Install a newer one: sudo apt-get install bubblewrap' };
}

function noFilters(): Obstacle {
  return { detail: 'the kernel takes no seccomp filter', fix: 'Run devs on a kernel with CONFIG_SECCOMP_FILTER' };
}

function readSetting(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return JSON.stringify(line.slice(0, 300));
}
