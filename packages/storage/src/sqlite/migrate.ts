import Database from 'better-sqlite3';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';

type Schema = readonly { readonly type: string; readonly name: string; readonly sql: string | null }[];

/** Tables that `ANALYZE` makes; they steer no more than the planner. */
const STATISTICS = "name NOT IN ('sqlite_stat1', 'sqlite_stat4')";

function readSchema(database: Database.Database): Schema {
  const sql = `SELECT type, name, sql FROM sqlite_schema WHERE ${STATISTICS} ORDER BY name`;
  return database.prepare<[], Schema[number]>(sql).all();
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
