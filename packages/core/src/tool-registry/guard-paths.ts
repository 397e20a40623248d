import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { ToolSettings } from '../config/tool-settings.ts';
import { DevsError } from '../errors.ts';
import type { Made } from '../made.ts';
import { toReadings } from '../validation/path-readings.ts';
import { PathReach } from '../validation/path-reach.ts';
import { joinSegments, segmentsBelow } from '../validation/path-segments.ts';
import type { Anchor, Guide } from '../validation/path-trail.ts';
import { followBothWays, refuseUnusable, toAnchor } from '../validation/paths.ts';
import type { CheckedArguments, MarkedPath } from '../validation/schema.ts';
import type { RegisteredTool } from './types.ts';
import { cutWords } from '../protocol/text.ts';

/** Validated arguments whose paths were looked at too. Minted in this file alone. */
export type GuardedArguments = Made<CheckedArguments, 'paths'>;

/** Throws one of the `PATH_*` errors. */
export type RefuseOwn = (tool: RegisteredTool, paths: readonly string[]) => void;

/** The border that a foreign tool's paths are held to: the operator's root, and what a tool's settings leave of it. */
interface Border {
  readonly root: string;
  /** Where the root was when the gate was made. */
  readonly real: string;
  readonly guide: Guide;
  /** @throws DevsError PATH_OUTSIDE_ROOT, and those of `PathReach.refusePlace` */
  readonly refusePlace: (place: readonly string[]) => void;
}

/** More than an honest call names, and each of them is looked for on the disk. */
const MAX_FOREIGN_PATHS = 1_000;
const MAX_SHOWN = 200;

/** The gate's step for the arguments that a schema marks as paths, by `format: "devs-path"`. */
export class PathGuard {
  readonly #root: Anchor | undefined;
  readonly #refuseOwn: RefuseOwn;
  readonly #borders = new WeakMap<ToolSettings, Border>();

  /**
   * @param root absolute: the folder that is served, by the operator's word. Without one no foreign tool gets a path
   * @param refuseOwn what is refused to a tool of ours before it begins
   */
  constructor(root: string | undefined, refuseOwn: RefuseOwn = () => undefined) {
    this.#refuseOwn = refuseOwn;
    this.#root = root === undefined ? undefined : toAnchor(path.posix.resolve(root));
  }

  /**
   * For a tool of ours only what can be no path anywhere is refused, and what whoever runs it refuses by the spelling: it
   * opens files through an `FsRoot`, which holds the same rules against what is open. A foreign tool opens by itself, so that all that
   * can be done is to look before.
   * @throws DevsError of one of the `PATH_*` codes; names the argument
   */
  check(tool: RegisteredTool, checked: CheckedArguments): GuardedArguments | Promise<GuardedArguments> {
    for (const marked of checked.paths) inArgument(marked, () => refuseUnusable(marked.value));
    if (tool.authorship === 'foreign' && checked.paths.length > 0) return this.#checkForeign(tool, checked);
    if (tool.authorship !== 'foreign') this.#refuseOwn(tool, checked.paths.map(({ value }) => value));
    return checked as GuardedArguments;
  }

  async #checkForeign({ settings }: RegisteredTool, checked: CheckedArguments): Promise<GuardedArguments> {
    const border = this.#borderOf(settings);
    if (checked.paths.length > MAX_FOREIGN_PATHS) {
      throw new DevsError('PATH_REFUSED', { sentence: `The call names more than ${String(MAX_FOREIGN_PATHS)} paths.` });
    }
    await refuseMoved(border);
    for (const { pointer, value } of checked.paths) {
      for (const reading of inArgument({ pointer, value }, () => toReadings(value))) {
        try {
          border.refusePlace(await followBothWays(reading, border.root, border.guide));
        } catch (cause) {
          throw named(pointer, cause);
        }
      }
    }
    return checked as GuardedArguments;
  }

  #borderOf(settings: ToolSettings): Border {
    if (this.#root === undefined) {
      throw new DevsError('PATH_REFUSED', { sentence: 'No folder is named that the paths of this tool could be inside.' });
    }
    const known = this.#borders.get(settings);
    if (known !== undefined) return known;
    const border = createBorder(this.#root, settings);
    this.#borders.set(settings, border);
    return border;
  }
}

function createBorder(anchor: Anchor, { files }: ToolSettings): Border {
  const root = joinSegments(anchor.spelled);
  const real = joinSegments(anchor.real);
  const reach = new PathReach(files, [root, real]);
  const belowRoot = (place: readonly string[]) => segmentsBelow(joinSegments(place), [real]);
  return {
    root,
    real,
    guide: {
      anchors: [anchor],
      onStep: (step) => {
        const below = belowRoot(step);
        if (below !== undefined) return reach.refuseStep(below);
        // On the way down from `/` to the root again nothing is looked up that is not the root's own path.
        if (segmentsBelow(real, [joinSegments(step)]) === undefined) throw new DevsError('PATH_OUTSIDE_ROOT');
      },
      onLink: () => reach.refuseLink(),
    },
    refusePlace: (place) => {
      const below = belowRoot(place);
      if (below === undefined) throw new DevsError('PATH_OUTSIDE_ROOT');
      reach.refusePlace(below);
    },
  };
}

/** Another folder in the root's place, or a link to one, is not what the operator named. */
async function refuseMoved({ root, real }: Border): Promise<void> {
  const now = await realpath(root).catch(() => undefined);
  if (now !== real) throw new DevsError('PATH_OUTSIDE_ROOT', { sentence: 'The project folder is not where it was.' });
}

function inArgument<Value>({ pointer }: MarkedPath, work: () => Value): Value {
  try {
    return work();
  } catch (cause) {
    throw named(pointer, cause);
  }
}

/** The refusal with the argument that it is about. Where the path leads is not said. */
function named(pointer: string, cause: unknown): DevsError {
  const { code, sentence, suggestion, decidedBy } = DevsError.is(cause) ? cause : new DevsError('PATH_REFUSED');
  // Whatever was found on the way, it is devs that said no: nothing has run.
  return new DevsError(code.startsWith('PATH_') ? code : 'PATH_REFUSED', {
    sentence: `Argument ${JSON.stringify(shorten(pointer))}: ${sentence}`,
    ...(suggestion !== undefined && { suggestion }),
    ...(decidedBy !== undefined && { decidedBy }),
    cause,
  });
}

/** Made of the caller's own names, which may be of any length. */
function shorten(pointer: string): string {
  return pointer.length > MAX_SHOWN ? `${cutWords(pointer, MAX_SHOWN)}...` : pointer;
}
