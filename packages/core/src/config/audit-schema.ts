import type { JsonObject } from '../json.ts';
import { DEFAULT_CONFIG } from './defaults.ts';
import { integer, section } from './schema-parts.ts';

const { audit } = DEFAULT_CONFIG;
const { heads } = audit;

/** `audit`. */
export const AUDIT_SCHEMA: JsonObject = section('The call log.', {
  durability: {
    type: 'string',
    enum: ['power', 'process'],
    default: audit.durability,
    description: 'What a logged call survives: a power cut, or a killed process.',
  },
  mode: {
    type: 'string',
    enum: ['strict', 'batch'],
    default: audit.mode,
    description: 'Whether calls wait for their records, or records may follow in batches.',
  },
  payloadDays: integer([0, 36_500], audit.payloadDays, 'Days after which devs logs archive erases inputs and outputs; 0 is never.'),
  maxBytes: integer([0, Number.MAX_SAFE_INTEGER], audit.maxBytes, 'Bytes of the files of the log beyond which calls are refused; 0 is any.'),
  minFreeBytes: integer([0, Number.MAX_SAFE_INTEGER], audit.minFreeBytes, 'Free bytes of its disk below which calls are refused; 0 is none.'),
  heads: section('Signed heads, by which a cut or rewritten log is found.', {
    everyRecords: integer([1, 1_000_000], heads.everyRecords, 'Sign after so many records.'),
    everySeconds: integer([1, 86_400], heads.everySeconds, 'Sign after so many seconds, if there are new records.'),
    systemLog: { type: 'boolean', title: 'true or false', default: heads.systemLog, description: 'Write heads into the system log.' },
    file: {
      type: ['string', 'null'],
      // Relative to what would be for whoever starts devs to say.
      pattern: '^(/|[A-Za-z]:[/\\\\])[^\\u0000-\\u001f]*[^/\\\\\\u0000-\\u001f]$',
      maxLength: 4_096,
      title: 'the absolute path of a file, or null',
      default: heads.file,
      description: 'Append heads to this file too.',
    },
  }),
});
