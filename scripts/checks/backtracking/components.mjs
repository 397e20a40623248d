/** Tarjan's strongly connected components, without recursion: a pattern has thousands of states. */
class Search {
  #next;
  #index;
  #low;
  #stack = [];
  #time = 0;
  #made = 0;

  constructor(count, next) {
    this.#next = next;
    this.#index = new Int32Array(count).fill(-1);
    this.#low = new Int32Array(count);
    this.component = new Int32Array(count).fill(-1);
  }

  from(root) {
    if (this.#index[root] !== -1) return;
    const frames = [this.#enter(root)];
    while (frames.length > 0) {
      const frame = frames.at(-1);
      if (frame.ways.length > 0) {
        const to = frame.ways.pop();
        if (this.#index[to] === -1) frames.push(this.#enter(to));
        else if (this.component[to] === -1) this.#lower(frame.node, this.#index[to]);
      } else {
        frames.pop();
        this.#leave(frame.node, frames.at(-1));
      }
    }
  }

  #enter(node) {
    this.#index[node] = this.#time;
    this.#low[node] = this.#time;
    this.#time += 1;
    this.#stack.push(node);
    return { node, ways: [...this.#next(node)] };
  }

  #lower(node, index) {
    this.#low[node] = Math.min(this.#low[node], index);
  }

  #leave(node, above) {
    if (above !== undefined) this.#lower(above.node, this.#low[node]);
    if (this.#low[node] !== this.#index[node]) return;
    for (const member of this.#stack.splice(this.#stack.lastIndexOf(node))) this.component[member] = this.#made;
    this.#made += 1;
  }
}

/** @returns the number of its component for each node */
export function components(count, next) {
  const search = new Search(count, next);
  for (let node = 0; node < count; node += 1) search.from(node);
  return search.component;
}
