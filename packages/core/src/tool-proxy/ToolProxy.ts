import { randomUUID } from 'node:crypto';
import { emit, type AuditLogger } from '../audit/events.ts';
import { DEFAULT_CONFIG, type CallLimits } from '../config/schema.ts';
import { describeCause, DevsError } from '../errors.ts';
import { neverThrowing, silentLogger, type StructuredLogger } from '../logging/structured-logger.ts';
import { decide, type Permit } from '../policy/decide.ts';
import type { SAOPEnvelope } from '../protocol/envelope.ts';
import { createOutputSanitizer, type IOutputSanitizer } from '../protocol/output-sanitizer.ts';
import type { RawToolOutput, ToolResult } from '../protocol/tool-result.ts';
import { OutputPolicy } from '../sanitization/output-policy.ts';
import { Overflow, type OverflowLimits } from '../sanitization/results/overflow.ts';
import { sanitizeRepair, sanitizeSentence } from '../sanitization/sanitize-tool-result.ts';
import { PathGuard, type GuardedArguments } from '../tool-registry/guard-paths.ts';
import { isOffered, type ToolLookup } from '../tool-registry/ToolRegistry.ts';
import { toListed } from '../tool-registry/output-schema.ts';
import type { RegisteredTool, ToolDefinition } from '../tool-registry/types.ts';
import { validateToolArgs } from '../tool-registry/validate-tool-args.ts';
import type { CheckedArguments } from '../validation/schema.ts';
import { toEvent } from './announce.ts';
import { createSystemClock, type Call, type Clock } from './call/call.ts';
import { createCallId } from './call-id.ts';
import { withDeadline } from './deadline.ts';
import { toEnvelope, type ObservationParts } from './observe.ts';
import { openCall } from './open-call.ts';
import { toRefused, toToolError, type Outcome, type Refused } from './outcome.ts';
import { CallLimiter, type Admitted } from './limits/index.ts';
import { toLoggedInput } from './logged-input.ts';
import { CallOutputs, type AnswerWishes, type CallOutput, type InnerWishes } from './call-output.ts';
import { toIntent, toRecord, toRefusedIntent } from './record.ts';
import { AuditWriter, type StartedCall } from './started-call.ts';
import { OpenRun } from './open-run.ts';
import { toResult, withEvidence } from './to-result.ts';
import type { AgentLogIntent, AgentLogReceipt, AgentLogRepository, SandboxExecutor, ToolCallRequest } from './call/types.ts';

export interface ToolProxyOptions {
  readonly sanitizer?: IOutputSanitizer;
  /** Most bytes of UTF-8 of a whole result; a sanitizer can only lower it. Default: the sanitizer's own limit, else what `DEFAULT_CONFIG` says. */
  readonly maxToolOutputBytes?: number;
  readonly logger?: StructuredLogger;
  readonly clock?: Clock;
  readonly createId?: () => string;
  /** Milliseconds a tool may take that names no limit of its own. Default 60,000. */
  readonly toolTimeoutMs?: number;
  /** How many calls each principal gets. Default: what `DEFAULT_CONFIG` says. */
  readonly principalLimits?: CallLimits;
  /**
   * Absolute path of the folder that is served, by the operator's word: what the paths of foreign tools
   * are held to. Not the `projectRoot` of a call, which is a claim. Absent: no foreign tool gets a path.
   */
  readonly pathRoot?: string;
  /** Milliseconds one write to the call log may take. Default 10,000. */
  readonly logTimeoutMs?: number;
  /** What the operator has decided about what goes out. Default: what `DEFAULT_CONFIG` says. */
  readonly outputPolicy?: OutputPolicy;
  /** Bounds of what is kept of outputs that were cut, to be read on. */
  readonly overflow?: OverflowLimits;
}

/** How far a call came, and how it ended. */
interface Attempt {
  readonly outcome: Outcome;
  readonly tool?: RegisteredTool | undefined;
  /** Its place among the calls of its principal, its server and its tool: given back when all is written. */
  readonly admitted?: Admitted | undefined;
  /** Absent: the tool was not begun, so it cannot have acted. */
  readonly run?: OpenRun | undefined;
  /** What the log has been told, or would have been: of a call that got no permit, what it asked for. */
  readonly intent: AgentLogIntent;
}

interface Answer extends Pick<ObservationParts, 'record' | 'source'> {
  readonly result: ToolResult;
}

const DEFAULT_LOG_TIMEOUT_MS = 10_000;

/**
 * The single chokepoint: no tool runs but through here (2_TAS-REQ-032), none before its arguments are
 * validated (5_SECURITY_DESIGN-REQ-SEC-SD-013), and every call is in the log (TAS-072).
 */
export class ToolProxy {
  readonly #registry: ToolLookup;
  readonly #sandbox: SandboxExecutor;
  readonly #auditLogger: AuditLogger;
  readonly #auditWriter: AuditWriter;
  readonly #outputs: CallOutputs;
  readonly #mask: OutputPolicy;
  readonly #logger: StructuredLogger;
  readonly #clock: Clock;
  readonly #createId: () => string;
  readonly #toolTimeoutMs: number;
  readonly #limiter: CallLimiter;
  readonly #paths: PathGuard;
  #observations = 0;

  constructor(
    registry: ToolLookup,
    sandbox: SandboxExecutor,
    auditLogger: AuditLogger,
    agentLogs: AgentLogRepository,
    options: ToolProxyOptions = {},
  ) {
    this.#registry = registry;
    this.#sandbox = sandbox;
    this.#auditLogger = auditLogger;
    this.#logger = neverThrowing(options.logger ?? silentLogger);
    this.#auditWriter = new AuditWriter(agentLogs, options.logTimeoutMs ?? DEFAULT_LOG_TIMEOUT_MS);
    this.#clock = options.clock ?? createSystemClock();
    this.#createId = options.createId ?? createCallId;
    this.#mask = options.outputPolicy ?? new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize });
    this.#outputs = new CallOutputs({
      registry,
      sanitizer: options.sanitizer ?? createOutputSanitizer(DEFAULT_CONFIG, { logger: this.#logger }),
      maxBytes: options.maxToolOutputBytes,
      logger: this.#logger,
      policy: this.#mask,
      // Ids that nobody can guess, whatever ids the calls have: the one opens an output, the other closes a boundary.
      overflow: new Overflow({ createHandle: randomUUID, now: () => this.#clock.monotonicMs() }, options.overflow),
      createId: randomUUID,
    });
    this.#toolTimeoutMs = options.toolTimeoutMs ?? DEFAULT_CONFIG.limits.toolTimeoutMs;
    this.#limiter = new CallLimiter(options.principalLimits ?? DEFAULT_CONFIG.limits.principal, { now: () => this.#clock.monotonicMs() });
    this.#paths = new PathGuard(options.pathRoot, (tool, paths) => this.#sandbox.refusePaths?.(tool, paths));
  }

  /** What a model has to know to read the answers: for the `instructions` of whoever serves them. */
  get instructions(): string {
    return this.#mask.instructions;
  }

  /** The definition of a tool as a list shows it: clients hold its results to what is listed. */
  readonly listed = (tool: RegisteredTool): ToolDefinition => toListed(tool, this.#mask);

  /** One call through the whole gate. Never throws: a refusal is a result with `isError`. */
  async execute(request: ToolCallRequest, wishes: AnswerWishes = {}): Promise<ToolResult> {
    return this.#execute(request, { ...wishes, isUnwrapped: false });
  }

  async #execute(request: ToolCallRequest, wishes: InnerWishes): Promise<ToolResult> {
    const call = this.#open(request);
    return (await this.#finish(call, await this.#attempt(call, wishes))).result;
  }

  /** The same way, the answer as a SAOP observation (seed 000). */
  async observe(request: ToolCallRequest, wishes: AnswerWishes = {}): Promise<SAOPEnvelope> {
    const call = this.#open(request);
    const answer = await this.#finish(call, await this.#attempt(call, wishes));
    this.#observations += 1;
    return toEnvelope({ ...answer, sequenceNumber: this.#observations });
  }

  /** Records and answers a call that its edge has turned away already. Nothing is looked up or run. */
  async refuse(request: ToolCallRequest, cause: DevsError): Promise<ToolResult> {
    const call = this.#open(request);
    const intent = this.#refusedIntent(call, call.args);
    return (await this.#finish(call, { outcome: this.#refused(cause, call), intent })).result;
  }

  /** May fail at any step, and never throws. Each step takes what only the step before can make. */
  async #attempt(call: Call, wishes: InnerWishes): Promise<Attempt> {
    let tool: RegisteredTool | undefined;
    let checked: CheckedArguments | undefined;
    let permit: Permit | undefined;
    let intent: AgentLogIntent | undefined;
    let admitted: Admitted | undefined;
    let run: OpenRun | undefined;
    try {
      tool = this.#find(call);
      checked = this.#validate(tool, call);
      const guarded = await this.#guardPaths(tool, checked, call);
      permit = decide({ tool, checked: guarded, context: call.context });
      intent = toIntent(call, permit, this.#mask);
      const entering = this.#limiter.enter(call, permit, this.#timeoutOf(tool));
      admitted = entering instanceof Promise ? await entering : entering;
      const started = await this.#auditWriter.begin(admitted, intent);
      const output = this.#outputs.open(started, wishes);
      run = this.#openRun(started, output);
      return { outcome: await output.clean(this.#run(started, run)), tool, run, intent, admitted };
    } catch (cause) {
      // The copy that was validated. Before there is one the caller cannot have changed what it asked.
      const asked = checked === undefined ? call.args : (checked.received ?? checked.args);
      intent ??= this.#refusedIntent(call, asked);
      return { outcome: this.#refused(cause, call), tool, run, intent, admitted };
    }
  }

  /** Happens exactly once a call. Until it is over the call counts: its answer is held in memory. */
  async #finish(call: Call, attempt: Attempt): Promise<Answer> {
    try {
      return await this.#record(call, attempt);
    } finally {
      attempt.admitted?.leave();
    }
  }

  /** If the log cannot hold the answer, nobody gets it. */
  async #record(call: Call, { outcome, tool, run, intent }: Attempt): Promise<Answer> {
    const enforcement = run?.enforcement ?? null;
    const durationMs = this.#clock.monotonicMs() - call.startedAt;
    let final = outcome;
    let record = toRecord({ outcome: final, output: toResult(final, call.id), intent, durationMs, enforcement });
    let receipt: AgentLogReceipt | undefined;
    try {
      receipt = await this.#auditWriter.append(record, run !== undefined);
    } catch (cause) {
      final = this.#refused(cause, call);
      record = toRecord({ outcome: final, output: toResult(final, call.id), intent, durationMs, enforcement });
      this.#logger.error('AUDIT_WRITE_FAILED', { callId: call.id, tool_name: record.toolName, error: final.detail });
    }
    // A tool that was found and arguments that did not fit it: `validateToolArgs` has told that already.
    const isTold = tool !== undefined && final.kind === 'refused' && final.code === 'TOOL_ARG_VALIDATION_FAILURE';
    if (!isTold) emit(this.#auditLogger, toEvent(record, final), this.#reportTap);
    return { result: withEvidence(record.output, { receipt, enforcement }), record, source: tool?.source ?? '' };
  }

  #open(request: ToolCallRequest): Call {
    return openCall(request, { id: this.#createId(), clock: this.#clock });
  }

  #find(call: Call): RegisteredTool {
    if (call.contextRefused !== undefined) throw call.contextRefused;
    if (call.passthroughRefused !== undefined) throw call.passthroughRefused;
    const tool = this.#registry.getTool(call.askedName);
    // Hidden is unknown: a refusal that told them apart would list what is hidden.
    if (tool === undefined || !isOffered(tool, call.context) || call.passthrough.admits?.(tool) === false) throw new DevsError('UNKNOWN_TOOL');
    // Code that runs code that runs code: each of them would get a budget of its own. And code is told of no operations.
    if (call.origin.parentCallId !== undefined && (tool.kind === 'code' || tool.isOperation === true)) throw new DevsError('UNKNOWN_TOOL');
    return tool;
  }

  #validate(tool: RegisteredTool, call: Call): CheckedArguments {
    const { agentId, turnIndex } = call.context;
    const mask = (text: string) => this.#mask.textForLog(text, call.toolName);
    const tap: AuditLogger = {
      // It quotes the names of arguments, which are the caller's words.
      log: ({ error = '', pointer = '', ...event }) => {
        const said = { error: mask(error), pointer: mask(pointer), agentId: mask(agentId) };
        emit(this.#auditLogger, { ...event, ...said, turnIndex, callId: call.id }, this.#reportTap);
      },
    };
    // The tool that was found is the tool that is validated, whatever the registry does meanwhile.
    const outcome = validateToolArgs(call.toolName, call.args, { getTool: () => tool }, tap);
    if (!outcome.valid) throw outcome.error;
    return outcome;
  }

  /** Looks for the paths of a foreign tool on the disk, which may hang as the tool may. */
  #guardPaths(tool: RegisteredTool, checked: CheckedArguments, { signal }: Call): GuardedArguments | Promise<GuardedArguments> {
    const check = () => this.#paths.check(tool, checked);
    if (tool.authorship !== 'foreign' || checked.paths.length === 0) return check();
    return withDeadline(async () => check(), { timeoutMs: this.#timeoutOf(tool), signal });
  }

  /** The operator's word for this tool or its server, the tool's own, the operator's for all. */
  #timeoutOf({ settings, timeoutMs }: RegisteredTool): number {
    return settings.limits.toolTimeoutMs ?? timeoutMs ?? this.#toolTimeoutMs;
  }

  #openRun({ call, permit: { tool } }: StartedCall, output: CallOutput): OpenRun {
    const execute = async (request: ToolCallRequest) => this.#execute(request, { isUnwrapped: true, onLabels: (labels) => output.inherit(labels) });
    return new OpenRun({ call, tool, output, toolTimeoutMs: this.#timeoutOf(tool), registry: this.#registry, execute });
  }

  async #run({ call, permit }: StartedCall, run: OpenRun): Promise<RawToolOutput> {
    const { tool, args } = permit;
    try {
      return await withDeadline(
        async (signal) => {
          try {
            return await this.#sandbox.execute(tool, args, call.context, run.hand(signal));
          } catch (cause) {
            throw toToolError(cause);
          }
        },
        { timeoutMs: run.deadlineMs, signal: call.signal },
      );
    } finally {
      run.end();
    }
  }

  #refusedIntent(call: Call, asked: unknown): AgentLogIntent {
    const input = toLoggedInput(asked, (text) => this.#mask.textForLog(text, call.toolName));
    return toRefusedIntent(call, input, this.#mask);
  }

  #refused(cause: unknown, { toolName }: Call): Refused {
    const { sentences } = this.#outputs;
    return toRefused(cause, {
      sentence: (sentence) => sanitizeSentence(sentence, sentences),
      repair: (repair) => sanitizeRepair(repair, sentences),
      detail: (detail) => this.#mask.textForLog(detail, toolName),
    });
  }

  readonly #reportTap = (cause: unknown): void => {
    this.#logger.error('AUDIT_LOGGER_FAILED', { error: this.#mask.textForLog(describeCause(cause), '') });
  };
}
