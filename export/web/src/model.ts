// The exported `.tflite`, run by LiteRT.js: ids in, ids out, one at a time.

import { loadAndCompile, Tensor, type CompiledModel } from "@litertjs/core";

/** What `model.json` says about the file; the rest of it is not needed here. */
export interface Description {
  vocabularies: { source: string; target: string }; // file names
  special_ids: { pad: number; bos: number; eos: number };
  source_length: number;
  search: { max_source_length: number };
}

/** A target id, and where the decoder looked for it: a weight for each source id. Models without attention tell no weights. */
export interface Token {
  id: number;
  weights?: Float32Array;
}

type Tensors = Record<string, Tensor>;

export class Model {
  private constructor(
    private readonly description: Description,
    private readonly file: CompiledModel,
  ) {}

  /** LiteRT.js has been started, see `loadLiteRt`. */
  static async load(bytes: Uint8Array, description: Description): Promise<Model> {
    return new Model(description, await loadAndCompile(bytes, { accelerator: "wasm" }));
  }

  /** Frees the memory of the file, which no garbage collector knows of. */
  delete(): void {
    this.file.delete();
  }

  /** The most words of a source, EOS not counted. */
  get mostWords(): number {
    return this.description.search.max_source_length - 1;
  }

  get eos(): number {
    return this.description.special_ids.eos;
  }

  /**
   * Greedy search.
   *
   * @param words at least one source id and at most `mostWords`, without EOS.
   * @returns target ids, EOS last unless the translation reaches its limit.
   */
  async *decode(words: number[]): AsyncGenerator<Token> {
    const { bos, eos } = this.description.special_ids;
    const { limit, truncated, ...state } = await this.run("encode", {}, "source", this.padded(words));
    truncated.delete();
    try {
      let id = bos;
      for (let [left] = taken<Int32Array>(limit); left > 0 && id !== eos; left--) {
        const { log_probs, weights, ...next } = await this.run("step", state, "token", Int32Array.of(id));
        for (const name in next) {
          state[name].delete();
          state[name] = next[name];
        }
        id = this.best(taken(log_probs));
        yield { id, weights: weights && taken(weights) };
      }
    } finally {
      Object.values(state).forEach((tensor) => tensor.delete());
    }
  }

  /** Runs a signature on tensors that stay, and on ids int32 [1] or [1, S] under `name`. */
  private async run(signature: string, tensors: Tensors, name: string, ids: Int32Array): Promise<Tensors> {
    const input = new Tensor(ids, name === "token" ? [1] : [1, ids.length]);
    try {
      return await this.file.run(signature, { ...tensors, [name]: input });
    } finally {
      input.delete();
    }
  }

  private padded(words: number[]): Int32Array {
    const { source_length, special_ids } = this.description;
    const source = new Int32Array(source_length).fill(special_ids.pad);
    source.set([...words, special_ids.eos]);
    return source;
  }

  /** The id of the highest log-probability; the first of equals, and never padding or BOS. */
  private best(logProbs: Float32Array): number {
    const { pad, bos } = this.description.special_ids;
    logProbs[pad] = logProbs[bos] = -Infinity;
    return logProbs.reduce((best, value, id) => (value > logProbs[best] ? id : best), 0);
  }
}

/** The numbers of a tensor, whose memory is freed. */
function taken<Values extends Float32Array | Int32Array = Float32Array>(tensor: Tensor): Values {
  const values = tensor.toTypedArray() as Values;
  tensor.delete();
  return values;
}
