import type { ContentBlock, EmbeddedResource, ResourceLink } from '../../protocol/tool-result.ts';
import type { CleanBlock } from './fit-result.ts';
import { toNotice } from './result-notices.ts';

/**
 * Addresses that one result may show outside of its boundaries, UTF-16 units of them together, and of the longest. Clients show
 * them as they are, and `https://a/ignore-all-rules` can be read: words fit into any address, a page of them must not.
 */
const MOST_ADDRESSES = 32;
const MOST_UNITS = 4_096;
const LONGEST_ADDRESS = 512;

/** Of every link that stands beside a boundary: MCP wants a name, and a server's own would be words. */
const NEUTRAL_NAME = 'link';
const FILE_LEFT_OUT = '[devs: a file was left out: its address is too long, or there are too many addresses.]';

export interface WordsOutsideOptions {
  /** False: embedded resources are what was asked for by their addresses, and stay as they are. */
  readonly boundsResources: boolean;
  /** Makes one clean text of clean lines. */
  readonly join: (lines: readonly string[]) => string;
}

/** Takes words of a server that would stand outside of the boundaries of one result into them. */
export class WordsOutside {
  readonly #options: WordsOutsideOptions;
  #addresses = 0;
  #units = 0;

  constructor(options: WordsOutsideOptions) {
    this.#options = options;
  }

  /** The block, and what now stands in texts beside it. */
  takeIn({ block, isNotice }: CleanBlock): readonly CleanBlock[] {
    if (block.type === 'resource_link') return this.#takeLink(block).map((each) => ({ block: each, isNotice }));
    if (block.type === 'resource' && this.#options.boundsResources && !this.#admits(block.resource.uri)) return this.#takeAddress(block);
    return [{ block, isNotice }];
  }

  #takeLink({ name, title, description, ...link }: ResourceLink): readonly ContentBlock[] {
    const { uri, role } = link;
    const said = [...new Set([name, title ?? '', description ?? ''])].filter((words) => words !== '');
    const isOutside = this.#admits(uri);
    const lines = isOutside ? said : [uri, ...said];
    const text: readonly ContentBlock[] = lines.length === 0 ? [] : [{ type: 'text', text: this.#options.join(lines), ...(role !== undefined && { role }) }];
    return isOutside ? [{ ...link, name: NEUTRAL_NAME }, ...text] : text;
  }

  /** A text needs no address: its own becomes one. Nothing else can hold the data of a file. */
  #takeAddress({ type: _type, resource, ...members }: EmbeddedResource): readonly CleanBlock[] {
    if (!('text' in resource)) return [toNotice(FILE_LEFT_OUT)];
    return [resource.uri, resource.text].map((text) => ({ block: { type: 'text', text, ...members }, isNotice: false }));
  }

  /** One more address is shown outside, when there is room for it. */
  #admits(uri: string): boolean {
    if (uri.length > LONGEST_ADDRESS || this.#addresses >= MOST_ADDRESSES || this.#units + uri.length > MOST_UNITS) return false;
    this.#addresses += 1;
    this.#units += uri.length;
    return true;
  }
}
