export { AgentLogError } from './agent-log-error.ts';
export type { AgentLogFailure } from './agent-log-error.ts';
export type {
  AgentLogs,
  CallCounts,
  CallStats,
  Durations,
  Excerpt,
  LogRecord,
  OpenAgentLog,
  OpenAgentLogReader,
  SearchHit,
  SearchPage,
  SearchProgress,
  StatsQuery,
  ToolStats,
} from './agent-logs.ts';
export type { ArchivePlan, ArchiveReport, ArchiveStep, ErasurePlan, PlaceInTime, PlannedArchive, PruningPlan, WrittenArchive } from './archive/archive-plan.ts';
export { LogArchiver } from './archive/log-archiver.ts';
export type { LogArchiverOptions } from './archive/log-archiver.ts';
export type { ArchivePolicy } from './archive/policy.ts';
export type { ChainView, Position } from './heads/chain-view.ts';
export type { HeadProblem } from './heads/examine.ts';
export { examineSqliteLog } from './sqlite/examine-sqlite-log.ts';
export type { ExamineSqliteLogOptions, LogStanding } from './sqlite/examine-sqlite-log.ts';
export type { HeadPublisher } from './heads/head-delivery.ts';
export { HeadKeeper } from './heads/head-keeper.ts';
export type { HeadKeeperOptions } from './heads/head-keeper.ts';
export { readPublicKey } from './heads/public-key.ts';
export { publishToFile } from './heads/publish-to-file.ts';
export { hasSystemLog, publishToSystemLog } from './heads/publish-to-system-log.ts';
export type { SystemLogOptions } from './heads/publish-to-system-log.ts';
export { checkHead } from './heads/signed-head.ts';
export type { Head, HeadSigner, SignedHead } from './heads/signed-head.ts';
export { readHeads } from './heads/read-heads.ts';
export type { FoundHead, HeadsRead } from './heads/read-heads.ts';
export { openSigningKey, readSigningKey } from './heads/signing-key.ts';
export type { SigningKey } from './heads/signing-key.ts';
export { FileLock } from './locks/file-lock.ts';
export { createMemoryAgentLogs } from './memory/create-memory-agent-logs.ts';
export type { MemoryAgentLogsOptions } from './memory/create-memory-agent-logs.ts';
export { STORED_JSON_CAP_BYTES } from './record/stored-json.ts';
export { adoptSqliteAgentLogs } from './sqlite/adopt-agent-logs.ts';
export type { Adoption, AdoptSqliteAgentLogsOptions } from './sqlite/adopt-agent-logs.ts';
export { openSqliteAgentLogReader, openSqliteAgentLogs } from './sqlite/open-agent-logs.ts';
export type { SqliteAgentLogReaderOptions, SqliteAgentLogsOptions } from './sqlite/open-agent-logs.ts';
export type { Durability } from './sqlite/open-database.ts';
export { measureLog, roomOf } from './sqlite/log-room.ts';
export type { LogLimits, LogUse } from './sqlite/log-room.ts';
export type { SqliteAgentLogs } from './sqlite/sqlite-agent-logs.ts';
export { exportRecords } from './verify/export-records.ts';
export { openExportSource } from './verify/export-source.ts';
export type { ExportSourceOptions } from './verify/export-source.ts';
export { openLogFiles, openLogWithArchives } from './archive/open-files.ts';
export { SourceFailure } from './verify/record-source.ts';
export type { RecordRange, RecordSource } from './verify/record-source.ts';
export type { Anchoring, PlaceInLog, Problem, ProblemCode, Verdict, VerifyReport } from './verify/report.ts';
export { joinSources } from './verify/series-source.ts';
export { openSqliteSource } from './verify/sqlite-source.ts';
export type { SqliteSourceOptions } from './verify/sqlite-source.ts';
export { verifyLog } from './verify/verify-log.ts';
export type { VerifyOptions } from './verify/verify-log.ts';
