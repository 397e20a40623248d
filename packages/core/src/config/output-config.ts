/** How much of one tool's output goes to the model, and in which form (seed 002). No setting of it lets through what is not clean. */
export interface OutputConfig {
  /** Most bytes of UTF-8 of one result: notices, marks and boundaries included. Default 102,400 (100 KB). */
  readonly maxSizeBytes: number;
  /** Stands where something was cut off, on a line of its own. Default `[truncated]`. */
  readonly truncationMessage: string;
  /** True: terminal controls go. False: they are shown as the pictures of Unicode, `␛[31m␃`. Default true. */
  readonly stripControlChars: boolean;
  /** True: NULs go. False: they are shown as `␀`. Default true. */
  readonly stripNullBytes: boolean;
  /** The text must be JSON, at most 50 levels deep; else it is withheld. Default false. */
  readonly validateJson: boolean;
  /** What is done with output that is no text: `reject` withholds it, `replace` makes text of what can be. Default `reject`. */
  readonly onBinary: 'reject' | 'replace';
  /** What is kept of a long output: its head, or 70 % of it as the head and 20 % as the tail. Default `head`. */
  readonly strategy: 'head' | 'head-and-tail';
  /** `text`: HTML becomes the text that a reader of the page would see. Default `keep`. */
  readonly html: 'keep' | 'text';
  /** `mark`: images and links of Markdown that could carry data out become marks. Default `keep`. */
  readonly links: 'keep' | 'mark';
}

const KILOBYTE = 1_024;

/** Bytes. In force for a tool of which nothing else is said (seed 002). */
export const DEFAULT_MAX_OUTPUT_SIZE = 100 * KILOBYTE;

export const DEFAULT_OUTPUT_CONFIG: OutputConfig = Object.freeze({
  maxSizeBytes: DEFAULT_MAX_OUTPUT_SIZE,
  truncationMessage: '[truncated]',
  stripControlChars: true,
  stripNullBytes: true,
  validateJson: false,
  onBinary: 'reject',
  strategy: 'head',
  html: 'keep',
  links: 'keep',
});

export type OutputPreset = 'shell' | 'fileRead' | 'webFetch' | 'search';

/** The four presets of seed 002, by kind of tool. */
export const OUTPUT_PRESETS: Readonly<Record<OutputPreset, OutputConfig>> = Object.freeze({
  shell: Object.freeze({ ...DEFAULT_OUTPUT_CONFIG, strategy: 'head-and-tail' }),
  fileRead: Object.freeze({ ...DEFAULT_OUTPUT_CONFIG, maxSizeBytes: 500 * KILOBYTE }),
  webFetch: Object.freeze({ ...DEFAULT_OUTPUT_CONFIG, maxSizeBytes: 200 * KILOBYTE, links: 'mark' }),
  search: Object.freeze({ ...DEFAULT_OUTPUT_CONFIG, maxSizeBytes: 50 * KILOBYTE }),
});

/** Names under which tools of these kinds are known: devs's own, and what other hosts call theirs. */
const PRESETS_BY_NAME: ReadonlyMap<string, OutputPreset> = new Map(
  Object.entries({
    shell: ['shell', 'shell_exec', 'bash', 'exec', 'execute_command', 'run_command', 'terminal', 'git_commit', 'run_code'],
    fileRead: ['read_file', 'file_read', 'read', 'cat', 'view_file', 'surgical_edit'],
    webFetch: ['web_fetch', 'fetch', 'fetch_url', 'http_get', 'browse', 'web_get'],
    search: ['search_files', 'search', 'grep', 'glob', 'find', 'ripgrep', 'file_search', 'code_search', 'web_search', 'list_directory'],
  } as const).flatMap(([preset, names]) => names.map((name) => [name, preset as OutputPreset] as const)),
);

/** Requests of MCP beside tools, by their method: what a resource holds is read as a file is. */
const OPERATIONS: ReadonlyMap<string, OutputConfig> = new Map([
  ['resources/read', OUTPUT_PRESETS.fileRead],
  ['prompts/get', Object.freeze({ ...DEFAULT_OUTPUT_CONFIG, maxSizeBytes: 200 * KILOBYTE })],
  ['completion/complete', Object.freeze({ ...DEFAULT_OUTPUT_CONFIG, maxSizeBytes: 200 * KILOBYTE })],
]);

/**
 * The preset for a tool of this name or alias, in any case, also behind the namespace of a server (`files__read`) or a
 * prefix of its own (`files_read_file`); the default for a name that says nothing.
 */
export function outputConfigFor(name: string): OutputConfig {
  // `files/resources/read`: no tool has a slash in its name.
  const slash = name.indexOf('/');
  if (slash !== -1) return OPERATIONS.get(name.slice(slash + 1)) ?? DEFAULT_OUTPUT_CONFIG;
  const preset = presetOf(name) ?? presetOf(name.slice(name.indexOf('__') + 1).replace(/^_+/, '')) ?? presetBehindPrefix(name);
  return preset === undefined ? DEFAULT_OUTPUT_CONFIG : OUTPUT_PRESETS[preset];
}

function presetOf(name: string): OutputPreset | undefined {
  return PRESETS_BY_NAME.get(toWords(name).join('_'));
}

/** A preset's name of two words at least: `mark_as_read` reads no file. */
function presetBehindPrefix(name: string): OutputPreset | undefined {
  const words = toWords(name);
  for (let start = 1; start <= words.length - 2; start += 1) {
    const preset = PRESETS_BY_NAME.get(words.slice(start).join('_'));
    if (preset !== undefined) return preset;
  }
  return undefined;
}

/** `readFile`, `read-file` and `read.file` say the same. */
function toWords(name: string): readonly string[] {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().split(/[_.-]+/).filter((word) => word !== '');
}

/**
 * What holds when more is asked of one answer: every setting at its stricter side. The strategy and the message are a
 * matter of form, and are as asked. @throws RangeError for a number of bytes that is none: NaN would be no limit
 */
export function combineOutputConfig(own: OutputConfig, asked: Partial<OutputConfig>): OutputConfig {
  const { maxSizeBytes = own.maxSizeBytes, truncationMessage = own.truncationMessage, strategy = own.strategy } = asked;
  if (!Number.isSafeInteger(maxSizeBytes) || maxSizeBytes < 0) throw new RangeError('maxSizeBytes is a whole number, 0 or more.');
  if (!/^[^\p{C}]{0,1000}$/u.test(truncationMessage)) throw new RangeError('truncationMessage is at most 1,000 visible characters on one line.');
  return {
    maxSizeBytes: Math.min(maxSizeBytes, own.maxSizeBytes),
    truncationMessage,
    strategy,
    stripControlChars: own.stripControlChars || asked.stripControlChars === true,
    stripNullBytes: own.stripNullBytes || asked.stripNullBytes === true,
    validateJson: own.validateJson || asked.validateJson === true,
    onBinary: asked.onBinary === 'reject' ? 'reject' : own.onBinary,
    html: asked.html === 'text' ? 'text' : own.html,
    links: asked.links === 'mark' ? 'mark' : own.links,
  };
}
