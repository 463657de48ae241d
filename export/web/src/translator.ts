// A folder that `keras-attn export --format litert` wrote: text in, text out.

import { wordAttention, type Attention } from "./attention";
import { Model, type Description } from "./model";
import { Tokenizer } from "./tokenizer";

export interface Translation {
  ids: number[]; // EOS included where the model wrote it
  text: string;
  attention: Attention | null; // null: the model has none, or nothing was said
  cut: boolean; // the source was longer than the model reads
}

const END = "(end)"; // how a reader sees EOS, which the decoder looks at too

export class Translator {
  private constructor(
    private readonly source: Tokenizer,
    private readonly target: Tokenizer,
    private readonly model: Model,
  ) {}

  /** Fetches and starts a model; LiteRT.js has been started, see `loadLiteRt`. */
  static async load(folder: string): Promise<Translator> {
    const description: Description = JSON.parse(new TextDecoder().decode(await fetched(`${folder}/model.json`)));
    const { source, target } = description.vocabularies; // one file if the languages share it
    const names = [...new Set([source, target]), "model.tflite"];
    const files = await Promise.all(names.map((name) => fetched(`${folder}/${name}`)));
    const file = Object.fromEntries(names.map((name, i) => [name, files[i]]));
    return new Translator(
      new Tokenizer(file[source]),
      new Tokenizer(file[target]),
      await Model.load(file["model.tflite"], description),
    );
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
    const read = this.source.encode(sentence);
    const words = read.ids.slice(0, this.model.mostWords);
    const cut = read.cut || words.length < read.ids.length;
    if (words.length === 0) return { ids: [], text: "", attention: null, cut };

    const ids: number[] = [];
    const rows: Float32Array[] = [];
    for await (const { id, weights } of this.model.decode(words)) {
      ids.push(id);
      if (id === this.model.eos) break;
      if (weights) rows.push(weights);
      onText(this.target.decode(ids));
    }
    const source = { words: [...read.words, END], wordOf: [...read.wordOf.slice(0, words.length), read.words.length] };
    const target = this.target.words(ids.filter((id) => id !== this.model.eos));
    const attention = rows.length > 0 ? wordAttention(source, target, rows) : null;
    return { ids, text: this.target.decode(ids), attention, cut };
  }
}

async function fetched(url: string): Promise<Uint8Array> {
  const response = await fetch(url).catch(() => null);
  if (!response?.ok) throw new Error(`${url} could not be loaded: ${response ? `status ${response.status}` : "no connection"}`);
  return new Uint8Array(await response.arrayBuffer());
}
