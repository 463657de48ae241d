// The exported `.tflite`, run by LiteRT.js: text to ids, ids to ids, ids to text, one at a time.

import { loadAndCompile, Tensor, type CompiledModel } from "@litertjs/core";

/** What `model.json` says about the file; the rest of it is not needed here. */
export interface Description {
  special_ids: { pad: number; bos: number; eos: number };
  signatures: {
    tokenize: { inputs: { text: { shape: [number, number] } } };
    detokenize: { inputs: { ids: { shape: [number, number] } } };
    align?: object; // models without attention have none
  };
  search: { beam_size: number; no_repeat_ngram: number };
}

/** A sentence as the file reads it: its ids, the text that each of them stands for, EOS left out, and whether its end is missing. */
export interface Source {
  ids: Int32Array;
  parts: string[];
  cut: boolean;
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

  get eos(): number {
    return this.description.special_ids.eos;
  }

  async tokenize(text: string): Promise<Source> {
    const places = this.description.signatures.tokenize.inputs.text.shape[1];
    const utf8 = new Uint8Array(places - 1); // no more is read
    const { read, written } = new TextEncoder().encodeInto(text, utf8);
    const given = new Int32Array(places).fill(-1); // a text ends where no byte is
    given.set(utf8.subarray(0, written));
    const { ids, length, starts, truncated, unknown } = await this.run("tokenize", {}, "text", given);
    unknown.delete();
    const [count] = taken<Int32Array>(length);
    const begins = taken<Int32Array>(starts);
    const [longer] = taken<Int32Array>(truncated);
    // Of a text with too many sub-words, the file tells where the first that it does not read begins.
    const end = longer !== 0 && begins[count] > begins[count - 1] ? begins[count] : written;
    const parts = split(utf8, [...begins.subarray(0, count), end]);
    return { ids: taken(ids), parts, cut: longer !== 0 || read < text.length };
  }

  /** The text of each of target ids. */
  async detokenize(ids: number[]): Promise<string[]> {
    const given = new Int32Array(this.description.signatures.detokenize.inputs.ids.shape[1]).fill(this.description.special_ids.pad);
    given.set(ids);
    const { text, length, ends } = await this.run("detokenize", {}, "ids", given);
    length.delete();
    return split(Uint8Array.from(taken<Int32Array>(text)), [0, ...taken<Int32Array>(ends).subarray(0, ids.length)]);
  }

  /**
   * The best translation by the search of the file: word by word if that is greedy and may repeat words, else all at once.
   *
   * @param source ids as `tokenize` gives them.
   * @returns target ids, EOS last unless the translation reaches its limit.
   */
  decode(source: Int32Array): AsyncGenerator<Token> {
    const { beam_size, no_repeat_ngram } = this.description.search;
    return beam_size > 1 || no_repeat_ngram > 0 ? this.decodeAtOnce(source) : this.decodeByWord(source);
  }

  private async *decodeAtOnce(source: Int32Array): AsyncGenerator<Token> {
    const signature = this.description.signatures.align ? "align" : "translate";
    const { ids, lengths, scores, truncated, weights } = await this.run(signature, {}, "source", source);
    scores.delete();
    truncated.delete();
    const [length] = taken<Int32Array>(lengths);
    const best = taken<Int32Array>(ids).subarray(0, length);
    const rows = weights && taken(weights);
    for (const [t, id] of best.entries()) {
      yield { id, weights: rows && rows.subarray(t * source.length, (t + 1) * source.length) };
    }
  }

  private async *decodeByWord(source: Int32Array): AsyncGenerator<Token> {
    const { bos, eos } = this.description.special_ids;
    const { limit, truncated, ...state } = await this.run("encode", {}, "source", source);
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

  /** The id of the highest log-probability; the first of equals, and never padding or BOS. */
  private best(logProbs: Float32Array): number {
    const { pad, bos } = this.description.special_ids;
    logProbs[pad] = logProbs[bos] = -Infinity;
    return logProbs.reduce((best, value, id) => (value > logProbs[best] ? id : best), 0);
  }
}

/** UTF-8 in parts: each ends where the next begins, the last place is where the last one ends. */
function split(utf8: Uint8Array, places: number[]): string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return places.slice(1).map((end, i) => decoder.decode(utf8.subarray(places[i], end)).replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, " "));
}

/** The numbers of a tensor, whose memory is freed. */
function taken<Values extends Float32Array | Int32Array = Float32Array>(tensor: Tensor): Values {
  const values = tensor.toTypedArray() as Values;
  tensor.delete();
  return values;
}
