// From where the decoder looked for each sub-word to where it looked for each word.

/** The words of a text, and for each of its sub-words the word it is part of. */
export interface Words {
  words: string[];
  wordOf: number[];
}

/** Attention between the words of two sentences: `weights[t][s]`, each row adding up to 1. */
export interface Attention {
  source: string[];
  target: string[];
  weights: number[][];
}

/** A sub-word with a space in front begins a word: ["a", " dog", "gy"] are words 0, 1, 1. */
export function wordsOf(parts: string[]): Words {
  let word = -1;
  const wordOf = parts.map((part, i) => (i === 0 || /^\s/.test(part) ? ++word : word));
  const words: string[] = [];
  parts.forEach((part, i) => (words[wordOf[i]] = (words[wordOf[i]] ?? "") + part.trim()));
  return { words, wordOf };
}

/**
 * Weights of sub-words become weights of words: what falls on a source word's parts is added up, and a target word takes the mean
 * over its parts.
 *
 * @param source the source words; `wordOf` has an entry for each source id.
 * @param target the target words; `wordOf` has an entry for each row.
 * @param rows one row of weights for each target id.
 */
export function wordAttention(source: Words, target: Words, rows: Float32Array[]): Attention {
  const weights = target.words.map(() => source.words.map(() => 0));
  const parts = target.words.map((_, word) => target.wordOf.filter((other) => other === word).length);
  rows.forEach((row, t) => {
    const word = target.wordOf[t];
    source.wordOf.forEach((s, position) => (weights[word][s] += row[position] / parts[word]));
  });
  return { source: source.words, target: target.words, weights };
}
