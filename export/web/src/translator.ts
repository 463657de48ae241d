// A folder that `keras-attn export --format litert` wrote: text in, text out.

import { wordAttention, wordsOf, type Attention } from "./attention";
import { Model, type Description } from "./model";

export interface Translation {
  ids: number[]; // EOS included where the model wrote it
  text: string;
  attention: Attention | null; // null: the model has none, or nothing was said
  cut: boolean; // the source was longer than the model reads
}

const END = "(end)"; // how a reader sees EOS, which the decoder looks at too

export class Translator {
  private constructor(private readonly model: Model) {}

  /** Fetches and starts a model; LiteRT.js has been started, see `loadLiteRt`. */
  static async load(folder: string): Promise<Translator> {
    const [about, file] = await Promise.all(["model.json", "model.tflite"].map((name) => fetched(`${folder}/${name}`)));
    const description: Description = JSON.parse(new TextDecoder().decode(about));
    return new Translator(await Model.load(file, description));
  }

  /** Frees the model's memory. */
  delete(): void {
    this.model.delete();
  }

  /**
   * Translates one sentence.
   *
   * @param onText is told the text so far whenever it has grown.
   */
  async translate(sentence: string, onText: (text: string) => void = () => {}): Promise<Translation> {
    const source = await this.model.tokenize(sentence);
    const ids: number[] = [];
    const rows: Float32Array[] = [];
    let parts: string[] = [];
    for await (const { id, weights } of this.model.decode(source.ids)) {
      ids.push(id);
      if (id === this.model.eos) break;
      if (weights) rows.push(weights);
      parts = await this.model.detokenize(ids);
      onText(parts.join(""));
    }
    const read = wordsOf(source.parts);
    const withEnd = { words: [...read.words, END], wordOf: [...read.wordOf, read.words.length] };
    const attention = rows.length > 0 ? wordAttention(withEnd, wordsOf(parts), rows) : null;
    return { ids, text: parts.join(""), attention, cut: source.cut };
  }
}

async function fetched(url: string): Promise<Uint8Array> {
  const response = await fetch(url).catch(() => null);
  if (!response?.ok) throw new Error(`${url} could not be loaded: ${response ? `status ${response.status}` : "no connection"}`);
  return new Uint8Array(await response.arrayBuffer());
}
