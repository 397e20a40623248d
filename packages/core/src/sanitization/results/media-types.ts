import { isUtf8, type Buffer } from 'node:buffer';

/** Whether bytes begin as those of one kind of file do. */
type Signature = (bytes: Buffer) => boolean;

function latin(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, end);
}

function startsWith(...starts: readonly string[]): Signature {
  return (bytes) => starts.some((start) => latin(bytes, 0, start.length) === start);
}

/** A RIFF file: its kind is behind its length. */
function isRiff(kind: string): Signature {
  return (bytes) => latin(bytes, 0, 4) === 'RIFF' && latin(bytes, 8, 12) === kind;
}

/** A file of the ISO base media format: its brand is behind the length of its first box. */
function isIsoMedia(...brands: readonly string[]): Signature {
  return (bytes) => latin(bytes, 4, 8) === 'ftyp' && brands.includes(latin(bytes, 8, 12));
}

/** Tags, or the header of a frame: eleven bits set, a version and a layer that exist. */
function isMpegAudio(bytes: Buffer): boolean {
  if (latin(bytes, 0, 3) === 'ID3') return true;
  const [first = 0, second = 0] = bytes;
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && (second & 0x06) !== 0;
}

/** The first entry of an archive, or the end of one that has none. */
const isZip = startsWith('PK\u0003\u0004', 'PK\u0005\u0006');

/** POSIX, and GNU's own form of it. The name of the first file stands before that. */
function isTar(bytes: Buffer): boolean {
  return ['ustar\u000000', 'ustar  \u0000'].includes(latin(bytes, 257, 265));
}

/** EBML, which says within its header what it holds. */
function isWebm(bytes: Buffer): boolean {
  return latin(bytes, 0, 4) === '\u001aE\u00df\u00a3' && latin(bytes, 4, 64).includes('webm');
}

const OFFICE = 'application/vnd.openxmlformats-officedocument.';

/** What is passed on as bytes. Nothing that a machine runs, and nothing with macros: `msword`, `wasm`, fonts. */
const SIGNATURES: ReadonlyMap<string, Signature> = new Map([
  ['image/png', startsWith('\u0089PNG\r\n\u001a\n')],
  ['image/jpeg', startsWith('\u00ff\u00d8\u00ff')],
  ['image/gif', startsWith('GIF87a', 'GIF89a')],
  ['image/webp', isRiff('WEBP')],
  ['image/avif', isIsoMedia('avif', 'avis')],
  ['audio/wav', isRiff('WAVE')],
  ['audio/mpeg', isMpegAudio],
  ['audio/ogg', startsWith('OggS')],
  ['audio/flac', startsWith('fLaC')],
  ['audio/mp4', isIsoMedia('M4A ', 'M4B ', 'mp42', 'mp41', 'isom', 'iso5', 'iso6', 'dash')],
  ['audio/webm', isWebm],
  ['video/mp4', isIsoMedia('mp42', 'mp41', 'isom', 'iso2', 'iso4', 'iso5', 'iso6', 'avc1', 'dash', 'M4V ')],
  ['video/quicktime', isIsoMedia('qt  ')],
  ['video/webm', isWebm],
  ['application/pdf', startsWith('%PDF-')],
  ['application/zip', isZip],
  ['application/epub+zip', isZip],
  [`${OFFICE}wordprocessingml.document`, isZip],
  [`${OFFICE}spreadsheetml.sheet`, isZip],
  [`${OFFICE}presentationml.presentation`, isZip],
  ['application/gzip', startsWith('\u001f\u008b\u0008')],
  ['application/x-tar', isTar],
  ['application/x-7z-compressed', startsWith('7z\u00bc\u00af\u0027\u001c')],
]);

/** Other names that the same media go by. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['audio/wave', 'audio/wav'],
  ['audio/x-wav', 'audio/wav'],
  ['audio/vnd.wave', 'audio/wav'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/x-flac', 'audio/flac'],
  ['audio/m4a', 'audio/mp4'],
  ['audio/x-m4a', 'audio/mp4'],
  ['application/x-gzip', 'application/gzip'],
  ['application/x-zip-compressed', 'application/zip'],
]);

/** Type and subtype of RFC 6838, and behind it parameters, which are dropped: they are read by nobody here. */
const MEDIA_TYPE = /^([a-z\d][a-z\d!#$&^_.+-]{0,62}\/[a-z\d][a-z\d!#$&^_.+-]{0,62})(?:\s*;|\s*$)/i;
/** Text under other names: markup and the languages of programs run in whoever opens them, and are cleaned as what they are. */
const TEXT_TYPE = /^(?:text\/.+|.+\+(?:json|xml|yaml))$/;
const TEXT_APPLICATIONS = new Set(
  'json json5 jsonl ndjson x-ndjson xml yaml x-yaml toml sql graphql javascript ecmascript x-javascript typescript x-sh'
    .split(' ')
    .map((subtype) => `application/${subtype}`),
);

/** Other types that are told of what is not passed on as bytes: a link, a text. Any other is the words of a server. */
const TOLD_TYPES = new Set(
  [
    'text/plain text/html text/css text/csv text/tab-separated-values text/markdown text/xml text/javascript text/yaml text/calendar text/vcard text/rtf',
    'text/x-python text/x-c text/x-c++ text/x-java text/x-go text/x-rust text/x-ruby text/x-php text/x-shellscript text/x-sql text/x-diff text/x-log',
    'application/octet-stream application/rtf application/wasm',
    'application/msword application/vnd.ms-excel application/vnd.ms-powerpoint application/ld+json application/geo+json',
    'application/problem+json application/xhtml+xml application/rss+xml application/atom+xml application/x-ipynb+json application/manifest+json',
    'image/svg+xml image/bmp image/tiff image/heic image/x-icon',
    'audio/aac font/woff font/woff2 font/ttf font/otf inode/directory',
  ].flatMap((line) => line.split(' ')),
);

/** True for a type whose name may be told: one that devs knows. Any other could be a sentence, a trigger, a secret. */
export function isToldType(type: string): boolean {
  return SIGNATURES.has(type) || TEXT_APPLICATIONS.has(type) || TOLD_TYPES.has(type);
}

/** `image/png` of `IMAGE/PNG; q=1`, under its usual name. Undefined when it is no media type. */
export function toMediaType(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 255) return undefined;
  const type = MEDIA_TYPE.exec(value)?.[1]?.toLowerCase();
  return type === undefined ? undefined : (ALIASES.get(type) ?? type);
}

/** True for a type whose files are text, SVG and HTML among them. */
export function isTextType(type: string): boolean {
  return TEXT_TYPE.test(type) || TEXT_APPLICATIONS.has(type);
}

/** True for a type that may be passed on as bytes, if the bytes are what it says. */
export function isKnownMedia(type: string): boolean {
  return SIGNATURES.has(type);
}

/** True when the bytes begin as files of this type do. False for types that are not on the list. */
export function isOfType(bytes: Buffer, type: string): boolean {
  return SIGNATURES.get(type)?.(bytes) === true;
}

/** True for bytes that can be read as text and are nothing else: UTF-8 without a NUL, or with a mark of UTF-16. */
export function isTextBytes(bytes: Buffer): boolean {
  const mark = latin(bytes, 0, 2);
  if (mark === '\u00ff\u00fe' || mark === '\u00fe\u00ff') return true;
  return isUtf8(bytes) && !bytes.includes(0);
}
