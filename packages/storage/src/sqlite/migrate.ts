import Database from 'better-sqlite3';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';

type Schema = readonly { readonly type: string; readonly name: string; readonly sql: string | null }[];

/**
 * Tables that `ANALYZE` makes; they steer no more than the planner. By their very text: under a reserved name SQLite loads
 * whatever stands in the schema, a trigger too.
 */
const STATISTICS: ReadonlySet<string | null> = new Set([
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
]);

function readSchema(database: Database.Database): Schema {
  const schema = database.prepare<[], Schema[number]>('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
  return schema.filter(({ type, sql }) => type !== 'table' || !STATISTICS.has(sql));
}

export function readVersion(database: Database.Database): number {
  return Number(database.pragma('user_version', { simple: true }));
}

function stepForward(database: Database.Database, migrations: typeof MIGRATIONS): boolean {
  const version = readVersion(database);
  const steps = migrations[version];
  if (steps === undefined) return false;
  for (const step of steps) {
    if (typeof step === 'string') database.exec(step);
    else step(database);
  }
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${version + 1}`);
  return true;
}

/**
 * Brings an empty or older log to the newest version, each step in one transaction that holds the
 * write lock from its start: of two processes that start at once, the second sees the work done.
 */
export function migrate(database: Database.Database, migrations: typeof MIGRATIONS = MIGRATIONS): void {
  // Read inside the lock, every time.
  const step = database.transaction(() => stepForward(database, migrations));
  while (step.immediate());
}

/** Whether tables, indexes, triggers and the view are, to the letter, what the migrations up to its version make. */
export function hasExpectedSchema(database: Database.Database): boolean {
  const expected = new Database(':memory:');
  try {
    migrate(expected, MIGRATIONS.slice(0, readVersion(database)));
    return JSON.stringify(readSchema(database)) === JSON.stringify(readSchema(expected));
  } finally {
    expected.close();
  }
}
