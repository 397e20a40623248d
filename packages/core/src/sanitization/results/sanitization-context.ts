import type { StructuredPolicy } from '../../config/defaults.ts';
import type { Json } from '../../json.ts';
import type { StructuredLogger } from '../../logging/structured-logger.ts';
import type { IOutputSanitizer } from '../../protocol/output-sanitizer.ts';
import type { Finding } from '../pipeline/tally.ts';
import type { TextStep } from '../pipeline/text-step.ts';
import type { Wrapper } from '../steps/wrap.ts';

export interface SanitizationContext {
  readonly sanitizer: IOutputSanitizer;
  /** Most bytes of UTF-8 of the whole result. Absent: what the sanitizer says, else the default of `mcp.maxToolOutputBytes`. */
  readonly maxBytes?: number | undefined;
  /** Most characters of the result, beside the bytes of its configuration. Absent: as many as these hold. */
  readonly maxCharacters?: number | undefined;
  readonly logger: StructuredLogger;
  readonly toolName: string;
  readonly taskId: string;
  readonly turnIndex: number;
  /** Only an own tool may speak as devs, and say which piece of a file it shows. */
  readonly authorship: 'own' | 'foreign';
  /** Who asks, where the tool may ask the client something. Absent: it may not. */
  readonly asker?: string | undefined;
  /** Tokens that it may have the client's model write for one prompt (`sanitize.maxSamplingTokens`). */
  readonly maxSamplingTokens: number;
  /** Blocks say whose words they are: those of a prompt. Default false. */
  readonly hasRoles?: boolean | undefined;
  readonly steps: readonly TextStep[];
  /** Puts texts into boundaries; undefined: they stand in none. */
  readonly wrapper: Wrapper | undefined;
  /** What becomes of the structured part where texts stand in boundaries. Absent: `keep`. */
  readonly structured?: StructuredPolicy | undefined;
  /** Of devs's own notices: `signNotice`. */
  readonly noticeId: string;
  /** UUIDs, for the boundaries. */
  readonly createId: () => string;
  /** False when a cleaned structured content is not what the tool has promised. Absent: it has promised nothing. */
  readonly fitsSchema?: ((structured: Json) => boolean) | undefined;
  /** True: clients were listed a schema, and want structured content of each result that is no error. Default false. */
  readonly isStructureListed?: boolean | undefined;
  /** Keeps what the budget cuts off, and gives the handle to read it on with. */
  readonly keep?: ((rest: string) => string | undefined) | undefined;
  /**
   * A piece of what was cleaned and kept before. This very text goes out as it is: of a piece that ends between CR and LF,
   * or behind a joiner, cleaning would make another, and nothing would lead back to where the rest of it begins.
   */
  readonly page?: string | undefined;
  /** The page is one of a text that was asked to be JSON. */
  readonly isJsonPage?: boolean | undefined;
}

/** What was done, beside the text. It goes to the log; of it only the counts go out. */
export interface SanitizationReport {
  /** True when something was cut off or left out. A field, never inferred from the text. */
  readonly truncated: boolean;
  /** How often each rule changed something, by `<step>:<rule>`. */
  readonly counts: Readonly<Record<string, number>>;
  /** What was masked, by keyed fingerprint: at most 20. */
  readonly findings: readonly Finding[];
}
