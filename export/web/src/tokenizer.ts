// SentencePiece unigram vocabularies (Kudo 2018): text to ids and back, from the `.spm` file the model was trained with.
//
// Normalising and cutting are @huggingface/tokenizers' work. What is ours: reading the file, and decoding, where SentencePiece
// writes " ⁇ " for an unknown word.

import { Tokenizer as Unigram } from "@huggingface/tokenizers";
import { PbfReader } from "pbf";

/** The words of a sentence, and for each of its ids the word it is part of. */
export interface Words {
  words: string[];
  wordOf: number[];
}

interface Piece {
  text: string;
  score: number;
  type: number;
}

interface Model {
  pieces: Piece[];
  modelType: number;
  normalization: string;
}

const MOST_CHARACTERS = 10_000; // for many more, @huggingface/tokenizers has too little stack; models read far fewer
const UNIGRAM = 1; // TrainerSpec.ModelType, in sentencepiece_model.proto
// What each normaliser's name stands for. nmt_nfkc as rules differs from SentencePiece's table at U+0344, U+061C and U+200D; "spaces"
// is that of vocabularies of symbols, which makes a space of every kind of whitespace.
const WHITESPACE = "[\\t-\\r\\x1c-\\x1f\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const NORMALIZERS: Record<string, object> = {
  nmt_nfkc: { type: "Precompiled" },
  spaces: { type: "Replace", pattern: { Regex: WHITESPACE }, content: " " },
};
const [NORMAL, UNKNOWN] = [1, 2]; // SentencePiece.Type

export class Tokenizer {
  private readonly pieces: Piece[];
  private readonly unigram: Unigram;

  constructor(spm: Uint8Array) {
    const { pieces, modelType, normalization } = readModel(spm);
    if (modelType !== UNIGRAM || !Object.hasOwn(NORMALIZERS, normalization)) {
      const known = Object.keys(NORMALIZERS).join(" or ");
      throw new Error(`Expected a unigram SentencePiece model normalised by ${known}; got ${normalization || "none"}.`);
    }
    this.pieces = pieces;
    this.unigram = new Unigram(unigramDescription(pieces, NORMALIZERS[normalization]), {});
  }

  /** Ids of a line, without EOS; a line without any piece, such as "", has none. `cut`: it was too long to be read to its end. */
  encode(line: string): { ids: number[]; cut: boolean } & Words {
    const normalized = this.unigram.normalizer!(line);
    const read = normalized.slice(0, MOST_CHARACTERS);
    const { ids, tokens } = this.unigram.encode(read, { add_special_tokens: false });
    return { ids, cut: read !== normalized, words: read.split(" "), wordOf: wordIndices(tokens) };
  }

  /** Text of ids, special ones left out. */
  decode(ids: number[]): string {
    return ids.map((id) => this.surface(id)).join("").replaceAll("▁", " ").replace(/^ /, "");
  }

  /** The words that ids spell. */
  words(ids: number[]): Words {
    const wordOf = wordIndices(ids.map((id) => this.pieces[id].text));
    const words: string[] = [];
    ids.forEach((id, i) => (words[wordOf[i]] = (words[wordOf[i]] ?? "") + this.surface(id).replaceAll("▁", "")));
    return { words, wordOf };
  }

  private surface(id: number): string {
    const { text, type } = this.pieces[id];
    return type === NORMAL ? text : type === UNKNOWN ? " ⁇ " : "";
  }
}

/** "▁" marks where a word begins: ["▁a", "▁dog", "gy"] are words 0, 1, 1. */
function wordIndices(pieces: string[]): number[] {
  let word = -1;
  return pieces.map((piece, i) => (piece.startsWith("▁") || i === 0 ? ++word : word));
}

function unigramDescription(pieces: Piece[], normalizer: object): object {
  return {
    added_tokens: [],
    normalizer: {
      type: "Sequence",
      normalizers: [
        normalizer,
        { type: "Strip", strip_left: true, strip_right: true },
        { type: "Replace", pattern: { Regex: " {2,}" }, content: " " },
      ],
    },
    pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: false },
    post_processor: null,
    decoder: null,
    model: {
      type: "Unigram",
      unk_id: pieces.findIndex(({ type }) => type === UNKNOWN),
      // No text holds a space here, so nobody can type "</s>" and end the sentence.
      vocab: pieces.map(({ text, score, type }) => [type === NORMAL ? text : ` ${text}`, score]),
    },
  };
}

/** Reads sentencepiece_model.proto: 1 pieces (1 text, 2 score, 3 type), 2 trainer (3 model type), 3 normalizer (1 name). */
function readModel(spm: Uint8Array): Model {
  const model: Model = { pieces: [], modelType: UNIGRAM, normalization: "" };
  new PbfReader(spm).readFields((tag, _, pbf) => {
    if (tag === 1) model.pieces.push(pbf.readMessage(readPiece, { text: "", score: 0, type: NORMAL }));
    else if (tag === 2) pbf.readMessage((field) => field === 3 && (model.modelType = pbf.readVarint()), null);
    else if (tag === 3) pbf.readMessage((field) => field === 1 && (model.normalization = pbf.readString()), null);
  }, null);
  return model;
}

function readPiece(tag: number, piece: Piece, pbf: PbfReader): void {
  if (tag === 1) piece.text = pbf.readString();
  else if (tag === 2) piece.score = pbf.readFloat();
  else if (tag === 3) piece.type = pbf.readVarint();
}
