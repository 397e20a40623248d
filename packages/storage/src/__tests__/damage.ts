import fs from 'node:fs';
import Database from 'better-sqlite3';

/** Writes the journal back into the file, and nobody has it open: what is changed then is what is read. */
export function settle(file: string): void {
  const database = new Database(file);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Overwrites a text of the file by another of its length, wherever it stands, as somebody with an editor would. Gives how often. */
export function overwrite(file: string, text: string, by: string): number {
  if (Buffer.byteLength(text) !== Buffer.byteLength(by)) throw new Error('another length moves what follows');
  const bytes = fs.readFileSync(file);
  let count = 0;
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) {
    bytes.write(by, at);
    count += 1;
  }
  fs.writeFileSync(file, bytes);
  return count;
}
