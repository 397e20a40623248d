// node verify-log.mjs <export.jsonl | export.jsonl.gz> [<head.json> [<devs.pub>]]
//
// Verifies an export of the call log of devs with nothing but Node, so that nobody has to trust devs to check devs.
// Exit codes: 0 intact, 1 tampered, 2 incomplete or unknown. What an export is made of, one record a line:
//   {"seq":N,"leaf":"<hex>","header":"<JSON text>","salt":"<hex>"|null,"payload":"<JSON text>"|null}
//   leaf           = SHA-256(0x00 || header)       the hash of the record
//   header.prev    = leaf of the record before     the chain; of record 1: 64 zeros
//   header.payload = SHA-256(salt || payload)      what the payload was, also once it is erased; null: there was none;
//                                                  a salt is 16 bytes: of another length it could hold a part of the payload
// and a head, kept where who writes the log cannot write, of one line:
//   {"head":"{\"v\":1,\"store\":…,\"seq\":N,\"leaf\":…,\"timestamp\":…,\"key\":…}","signature":"<Ed25519 over the text of head>"}
// and whom to believe: the line that `devs logs key` prints, the 32 bytes of the public key in base64, or a file that holds it.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';

const [file, headFile, givenKey] = process.argv.slice(2);
if (file === undefined) end(2, 'which export?');
// A pipe or a device would be waited for, and cannot be read twice.
if (!isFile(file)) end(2, 'the export is not there, or not a file');
const key = givenKey === undefined ? undefined : readKey();

/** In UTF-16 units, far longer than any that devs writes: a small compressed file may hold one that fits in no memory. */
const LONGEST_LINE = 33_554_432;

/** What was found to be missing: a part of a log is no proof of the whole. */
const missing = [];

let [seq, leaf, first, store, anchored, isWhole] = [0, '0'.repeat(64), undefined, undefined, false, false];

// First what the log says of its own erasures, which it says later than what was erased.
const erasures = [];
for await (const line of lines(() => undefined)) {
  if (!line.startsWith('{"seq":')) break;
  if (!line.includes('audit.erased')) continue;
  const fact = readJson(readJson(line)?.header);
  if (fact?.kind === 'audit.erased') erasures.push({ ...fact, found: 0 });
}

const head = headFile === undefined ? undefined : readHead();
for await (const line of lines(end)) check(line);

if (store !== undefined && head !== undefined && head.store !== store) end(1, `the head is of another log, ${head.store}`);
if (head !== undefined && head.seq > seq) end(1, `the export ends at record ${seq}, and the head was signed at record ${head.seq}: its end is missing`);
if (!isWhole) end(2, `the export ends in the middle of a line, after record ${seq}`);
if (first === undefined) end(2, 'there is no record in the export');
if (missing.length > 0) end(2, missing[0]);
if (head !== undefined && !anchored) end(2, `record ${head.seq} of the head is not in the export, which begins at record ${first}`);
const range = `records ${first} to ${seq} of log ${store}, last leaf ${leaf}`;
if (head === undefined) end(0, `intact, not anchored: ${range}. A cut end or a log written anew as a whole would look the same.`);
const signer = key === undefined ? `the key that it names itself, ${head.key}: compare it with what \`devs logs key\` printed` : 'the key that you gave';
end(0, `intact, anchored at record ${head.seq} by a head of ${head.timestamp}, signed by ${signer}: ${range}`);

/** One record: its form, its place, its hash, its link, its payload. */
function check(line) {
  const record = readJson(line) ?? {};
  const header = readJson(record.header) ?? 0;
  const { salt, payload } = record;
  const next = first === undefined ? record.seq : seq + 1;
  const fail = (what) => end(1, `record ${next ?? 1} ${what}`);
  const form = { seq: record.seq, leaf: record.leaf, header: record.header, salt, payload };
  const areTexts = typeof record.header === 'string' && [salt, payload].every((text) => text === null || typeof text === 'string');
  // One spelling only: else two programs could read two things out of the same bytes.
  if (!areTexts || JSON.stringify(form) !== line || !`${record.header}${payload}`.isWellFormed() || (salt !== null && !/^[0-9a-f]{32}$/.test(salt)) || !Number.isSafeInteger(next)) fail('is not as devs writes it');
  if (record.seq !== next) fail(`is missing or in the wrong place: here is record ${record.seq}`);
  if (sha256('\0', record.header) !== record.leaf) fail('was changed: its hash is not its leaf');
  if (JSON.stringify(header) !== record.header || header.seq !== record.seq) fail('has a header that is not as devs writes it');
  if (header.v !== 1) end(2, `record ${next} is of version ${header.v}, which this program does not know`);
  if (first === undefined && next !== 1) missing.push(`the export begins at record ${next}: what was before is not in it`);
  else if (header.prev !== leaf) fail('names another record before it: this one was changed, or that one, or any before it: they may all have been written anew');
  if (header.store !== undefined && (store ??= header.store) !== header.store) fail('is of another log');
  checkPayload(record, header, fail);
  [first, seq, leaf] = [first ?? record.seq, record.seq, record.leaf];
  if (head?.seq !== seq) return;
  if (head.leaf !== leaf) fail('is not the one of the head: it, or one before it, was written anew');
  anchored = true;
}

/** A payload is there and the one that was committed to, or it is gone and a later record says why. */
function checkPayload({ salt, payload }, header, fail) {
  const erasure = erasures.find(({ from, upTo, before }) => from <= header.seq && header.seq <= upTo && header.timestamp < before);
  if ((salt === null) !== (payload === null)) fail('has a salt or a payload alone');
  if (header.payload === null && payload !== null) fail('has a payload that its header does not know of');
  if (header.payload !== null && payload !== null && erasure !== undefined) fail(`has its payload again, which record ${erasure.seq} erased`);
  if (payload !== null && sha256(Buffer.from(salt, 'hex'), payload) !== header.payload) fail('has another payload than its header commits to');
  if (header.payload !== null && payload === null && erasure !== undefined) erasure.found += 1;
  if (header.payload !== null && payload === null && erasure === undefined) missing.push(`the payload of record ${header.seq} is gone, and no record here says that it was erased`);
  if (header.kind !== 'audit.erased') return;
  const { found, count, upTo, from, before, days, timestamp } = erasures.find((fact) => fact.seq === header.seq) ?? fail('appeared while the file was read');
  const isOldEnough = days >= 0 && Date.parse(before) <= Date.parse(timestamp) - days * 86_400_000;
  if (!isOldEnough || upTo >= header.seq) fail('erased payloads that were too young');
  if (found !== count && (from >= (first ?? 1) || found > count)) fail(`says that it erased ${count} payloads, and ${found} are gone`);
}

/** The one line that was printed, or the file that it was kept in. */
function readKey() {
  const text = (readText(givenKey) ?? givenKey).trim();
  return isKey(text) ? text : end(2, 'this is no key: give the line that `devs logs key` prints, or the file that holds it');
}

function isKey(text) {
  const bytes = Buffer.from(String(text), 'base64');
  return bytes.length === 32 && bytes.toString('base64') === text;
}

/** A head is what its signature says, or nothing. */
function readHead() {
  const { head: text, signature } = readJson(readText(headFile)) ?? {};
  const said = readJson(text);
  if (said?.v !== 1 || JSON.stringify(said) !== text || typeof signature !== 'string' || !isKey(said.key)) end(2, 'the head is not one');
  if (key !== undefined && said.key !== key) end(2, 'the head is signed by another key');
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(said.key, 'base64')]);
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64')) ? said : end(2, 'the head was changed: its signature does not hold');
}

/** The lines as they are: no end but "\n", no byte that is not UTF-8. */
async function* lines(fail) {
  const stream = createReadStream(file).on('error', (cause) => end(2, `the export cannot be read: ${cause.code}`));
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let [rest, length] = [[], 0];
  try {
    for await (const chunk of file.endsWith('.gz') ? stream.pipe(createGunzip()) : stream) {
      const [tail, ...starts] = decoder.decode(chunk, { stream: true }).split('\n');
      rest.push(tail);
      length += tail.length;
      if (length > LONGEST_LINE) throw Object.assign(new Error(), { code: 'a line without an end' });
      if (starts.length === 0) continue;
      yield rest.join('');
      [rest, length] = [[starts.at(-1)], starts.at(-1).length];
      yield* starts.slice(0, -1);
    }
    isWhole = length === 0;
  } catch (cause) {
    fail(cause.code === 'Z_BUF_ERROR' ? 2 : 1, `the export ends or is damaged after record ${seq}: ${cause.code}`);
  }
}

function isFile(name) {
  return attempt(() => statSync(name).isFile()) === true;
}

function readText(name) {
  return isFile(name) ? attempt(() => readFileSync(name, 'utf8')) : undefined;
}

function sha256(...parts) {
  return parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
}

function readJson(text) {
  return attempt(() => JSON.parse(text));
}

/** An error of Node's own would end with 1, as if the log were changed. */
function attempt(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}

function end(code, sentence) {
  console.log(`${['intact', 'tampered', 'incomplete or unknown'][code]}: ${sentence.replace(/^intact, /, '')}`);
  process.exit(code);
}
