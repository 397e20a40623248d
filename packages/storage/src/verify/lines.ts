import { isUtf8 } from 'node:buffer';
import { SourceFailure } from './record-source.ts';

const LINE_FEED = 10;

/** Bytes: a header and a payload of the most that is read, each letter of which is spelled as an escape. */
export const MOST_LINE_BYTES = 33_554_432;

/** The lines of a text in UTF-8 without their ends, some at a time. @throws SourceFailure where it stops being one */
export async function* splitLines(chunks: AsyncIterable<Buffer>, mostBytes = MOST_LINE_BYTES): AsyncIterable<readonly string[]> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      yield* decode(Buffer.concat([...rest, chunk.subarray(0, end - 1)]));
      [rest, size] = [[], 0];
    }
    if (end < chunk.length) rest.push(chunk.subarray(end));
    size += chunk.length - end;
    if (size > mostBytes) throw new SourceFailure({ code: 'limit', what: 'a line is longer than any that devs writes', verdict: 'tampered' });
  }
  if (size > 0) throw new SourceFailure({ code: 'cut', what: 'the file ends in the middle of a line: a part of it is missing', verdict: 'incomplete' });
}

/** Several lines at once, or where they are not all UTF-8 those before the first that is not. */
function* decode(lines: Buffer): Iterable<readonly string[]> {
  if (isUtf8(lines)) {
    yield lines.toString('utf8').split('\n');
    return;
  }
  for (let start = 0; start < lines.length; ) {
    const found = lines.indexOf(LINE_FEED, start);
    const line = lines.subarray(start, found < 0 ? lines.length : found);
    if (!isUtf8(line)) throw new SourceFailure({ code: 'form', what: 'a line is not UTF-8', verdict: 'tampered' });
    yield [line.toString('utf8')];
    start += line.length + 1;
  }
}
