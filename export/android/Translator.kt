package translator

import com.google.ai.edge.litert.CompiledModel
import com.google.ai.edge.litert.TensorBuffer
import org.json.JSONObject

data class Translation(val text: String, val score: Float, val truncated: Boolean, val unknown: Boolean)

/** Not to be used by two threads at once. `about` is what `model.json` says. */
class Translator(private val model: CompiledModel, about: JSONObject) : AutoCloseable {
    private val signatures = about.getJSONObject("signatures")
    private val tokenize = Signature("tokenize")
    private val detokenize = Signature("detokenize")
    private val translateText = Signature("translate_text")
    private val encode = Signature("encode")
    private val step = Signature("step")

    /** Best first: one, or as many as the beam that was exported. */
    fun translate(text: String): List<Translation> {
        translateText.write("text", bytes(text, translateText.size("text")))
        translateText.run()
        val codes = translateText.ints("text")
        val lengths = translateText.ints("lengths")
        val scores = translateText.floats("scores")
        val (truncated, unknown) = listOf("truncated", "unknown").map { translateText.ints(it)[0] != 0 }
        val width = codes.size / lengths.size
        return scores.indices.filter { scores[it] > NO_TRANSLATION }.map {
            Translation(string(codes, it * width, lengths[it]), scores[it], truncated, unknown)
        }
    }

    /**
     * The translation by greedy search as it grows, word by word; the last one is complete. It knows neither `no_repeat_ngram` nor
     * `keep_numbers`.
     */
    fun stream(text: String): Sequence<String> = sequence {
        tokenize.write("text", bytes(text, tokenize.size("text")))
        tokenize.run()
        encode.write("source", tokenize.ints("ids"))
        encode.run()
        val limit = encode.ints("limit")[0]
        val inputs = (step.inputs + encode.outputs - "limit" - "truncated").toMutableMap()
        val outputs = step.outputs.toMutableMap()
        val states = outputs.keys.filter { it.startsWith("state_") }
        val produced = IntArray(detokenize.size("ids"))  // PAD is 0
        var token = BOS
        for (count in 1..limit) {
            inputs.getValue("token").writeInt(intArrayOf(token))
            model.run(inputs, outputs, "step")
            val logProbs = outputs.getValue("log_probs").readFloat()
            token = logProbs.indices.filter { it != PAD && it != BOS }.maxBy { logProbs[it] }
            if (token == EOS) break
            produced[count - 1] = token
            yield(joined(produced))
            for (name in states) {  // this step's state is what the next one reads; nothing is copied
                inputs[name] = outputs.put(name, inputs.getValue(name))!!
            }
        }
    }

    override fun close() {
        for (part in listOf(tokenize, detokenize, translateText, encode, step, model)) part.close()
    }

    private fun joined(ids: IntArray): String {
        detokenize.write("ids", ids)
        detokenize.run()
        return string(detokenize.ints("text"), 0, detokenize.ints("length")[0])
    }

    /** Bytes of UTF-8, then -1. A text that leaves no -1 counts as longer. */
    private fun bytes(text: String, places: Int): IntArray {
        val utf8 = text.toByteArray()
        return IntArray(places) { if (it < utf8.size) utf8[it].toInt() and 0xFF else -1 }
    }

    private fun string(codes: IntArray, start: Int, length: Int): String =
        String(ByteArray(length) { codes[start + it].toByte() }).replace(CONTROL_CHARACTERS, " ")

    private inner class Signature(private val name: String) : AutoCloseable {
        private val described = signatures.getJSONObject(name)
        val inputs = names("inputs").associateWith { model.createInputBuffer(it, name) }
        val outputs = names("outputs").associateWith { model.createOutputBuffer(it, name) }

        fun size(input: String): Int = described.getJSONObject("inputs").getJSONObject(input).getJSONArray("shape").getInt(1)

        fun write(input: String, values: IntArray) = inputs.getValue(input).writeInt(values)

        fun run() = model.run(inputs, outputs, name)

        fun ints(output: String): IntArray = outputs.getValue(output).readInt()

        fun floats(output: String): FloatArray = outputs.getValue(output).readFloat()

        override fun close() = (inputs.values + outputs.values).forEach(TensorBuffer::close)

        private fun names(side: String) = described.getJSONObject(side).keys().asSequence().toList()
    }

    private companion object {
        val CONTROL_CHARACTERS = Regex("[\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]")
        const val PAD = 0
        const val BOS = 2
        const val EOS = 3
        const val NO_TRANSLATION = -1e9f  // the score where a beam ended with fewer translations than it has places
    }
}
