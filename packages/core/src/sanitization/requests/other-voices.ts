import { foldedView } from '../pipeline/folded-view.ts';
import type { TextRange } from '../pipeline/view-builders.ts';

/** Stands for a name in whose voice somebody else speaks. */
const NAME_WITHHELD = '[name withheld]';

const GAP = String.raw`[^\p{L}\p{N}]{0,3}`;
/** `devs`, letters apart and digits for letters included: `D-E-V-S`, `d3v5`. */
const DEVS = String.raw`(?<![\p{L}\p{N}])d${GAP}[e3]${GAP}v${GAP}[s5]`;

/** What a text that speaks as devs says next, and what only devs has to ask for. */
const SPEECH = [
  'asks?', 'asking', 'says?', 'states?', 'wants?', 'needs?', 'requires?', 'requests?', 'reports?', 'warns?', 'confirms?', 'is', 'has', 'must', 'will',
  'password', 'passphrase', 'token', 'key', 'secret', 'login', 'security', 'gateway', 'approvals?', 'account', 'code', 'pin',
].join('|');

/**
 * Where a text speaks as devs: by a verb or a colon behind the name, by a bracket, a dash or "from" before it. The name
 * alone says nothing: "Which devs should review?" are people.
 */
const AS_DEVS = String.raw`${DEVS}(?=[^\p{L}\p{N}]{0,16}(?:${SPEECH})(?![\p{L}\p{N}])|[^\p{L}\p{N}]{0,8}[:>|\-~])`;
/** Its first letter is asked first: to look behind each place of a text takes ten times as long. */
const FOR_DEVS = String.raw`(?=d)(?<=[\[({<\-~|]${GAP}|\b(?:from|by|via|behalf of|this is|i am)[^\p{L}\p{N}]{1,4})${DEVS}(?![\p{L}\p{N}])`;
/**
 * The words by which a person knows who asks. Behind them stands the name of a server, and nobody but devs writes them. A name is
 * read from its beginning alone: from each of its letters, a message of 2,000 took three milliseconds.
 */
const AS_SERVER = String.raw`(?<![\p{L}\p{N}._\-])[._\-]*[\p{L}\p{N}][\p{L}\p{N}._\-]*(?=[^\p{L}\p{N}:]{1,8}asks[^\p{L}\p{N}:]{0,8}:)`;

const VOICES = new RegExp(`${AS_DEVS}|${FOR_DEVS}|${AS_SERVER}`, 'giu');
const NAME_ALONE = new RegExp(String.raw`^[^\p{L}\p{N}]*${DEVS}[^\p{L}\p{N}]*$`, 'iu');

/** True for a text of a server, on one line, that a person may take for the words of devs or of another server. */
export function speaksAsAnother(line: string): boolean {
  return (foldedView(line)?.text ?? line).search(VOICES) !== -1;
}

/** The same of what stands above or below a field, where the name alone says who asks. */
export function isLabelOfAnother(line: string): boolean {
  return isNameOfDevs(line) || speaksAsAnother(line);
}

/** The name of a server as it stands before what it says. One that is called `devs` does not become devs by it. */
export function toSpeaker(server: string): string {
  return isNameOfDevs(server) ? `server ${server}` : server;
}

function isNameOfDevs(line: string): boolean {
  return NAME_ALONE.test(foldedView(line)?.text ?? line);
}

/** The text without the names in whose voice it speaks. What it says stays: it is attributed to its server. */
export function withoutOtherVoices(line: string): string {
  const view = foldedView(line);
  const source = (start: number, end: number): TextRange => view?.sourceOf(start, end) ?? { start, end };
  let shown = '';
  let from = 0;
  for (const { 0: name, index } of (view?.text ?? line).matchAll(VOICES)) {
    const { start, end } = source(index, index + name.length);
    if (start < from) continue;
    shown += `${line.slice(from, start)}${NAME_WITHHELD}`;
    from = end;
  }
  return shown + line.slice(from);
}
