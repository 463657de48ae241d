package translator

import com.google.ai.edge.litert.CompiledModel
import com.google.ai.edge.litert.TensorBuffer
import org.json.JSONObject

data class Translation(val text: String, val score: Float, val truncated: Boolean)

/** Not to be used by two threads at once. `file` reads what lies beside the model, or in it. */
class Translator(private val model: CompiledModel, file: (String) -> ByteArray) : AutoCloseable {
    private val about = JSONObject(String(file("model.json")))
    private val search = about.getJSONObject("search")
    private val special = about.getJSONObject("special_ids")
    private val bos = special.getInt("bos")
    private val eos = special.getInt("eos")
    private val pad = special.getInt("pad")
    private val names = about.getJSONObject("vocabularies")
    private val source = Vocabulary(file(names.getString("source")))
    private val target = Vocabulary(file(names.getString("target")))
    private val translate = Signature("translate")
    private val encode = Signature("encode")
    private val step = Signature("step")

    /** Best first: one, or as many as the beam that was exported. */
    fun translate(text: String): List<Translation> {
        translate.inputs.getValue("source").writeInt(padded(source.encode(text)))
        model.run(translate.inputs, translate.outputs, "translate")
        val ids = translate.outputs.getValue("ids").readInt()
        val lengths = translate.outputs.getValue("lengths").readInt()
        val scores = translate.outputs.getValue("scores").readFloat()
        val truncated = translate.outputs.getValue("truncated").readInt()[0] != 0
        val rows = ids.toList().chunked(ids.size / lengths.size)
        return lengths.indices.filter { it == 0 || lengths[it] > 0 }.map {
            Translation(target.decode(rows[it].take(lengths[it])), scores[it], truncated)
        }
    }

    /** The translation by greedy search as it grows, word by word; the last one is complete. */
    fun stream(text: String): Sequence<String> = sequence {
        val words = source.encode(text)
        encode.inputs.getValue("source").writeInt(padded(words))
        model.run(encode.inputs, encode.outputs, "encode")
        val inputs = (step.inputs + encode.outputs - "truncated").toMutableMap()
        val outputs = step.outputs.toMutableMap()
        val states = outputs.keys.filter { it.startsWith("state_") }
        val produced = mutableListOf<Int>()
        var token = bos
        while (produced.size < limit(words.size)) {
            inputs.getValue("token").writeInt(intArrayOf(token))
            model.run(inputs, outputs, "step")
            val logProbs = outputs.getValue("log_probs").readFloat()
            token = logProbs.indices.filter { it != pad && it != bos }.maxBy { logProbs[it] }
            if (token == eos) break
            produced += token
            yield(target.decode(produced))
            for (name in states) {  // this step's state is what the next one reads; nothing is copied
                inputs[name] = outputs.put(name, inputs.getValue(name))!!
            }
        }
    }

    override fun close() {
        for (part in listOf(translate, encode, step, source, target, model)) part.close()
    }

    /** The file sees by the missing EOS that a sentence was cut. */
    private fun padded(words: IntArray): IntArray =
        (words + eos).copyOf(about.getInt("source_length")).also { it.fill(pad, minOf(words.size + 1, it.size)) }

    private fun limit(words: Int): Int {
        val read = minOf(words, search.getInt("max_source_length") - 1)
        val limit = search.getDouble("max_length_factor") * read + search.getInt("max_length_extra")
        return if (read == 0) 0 else minOf(limit.toInt(), about.getInt("max_length"))
    }

    private inner class Signature(name: String) : AutoCloseable {
        private val described = about.getJSONObject("signatures").getJSONObject(name)
        val inputs = names("inputs").associateWith { model.createInputBuffer(it, name) }
        val outputs = names("outputs").associateWith { model.createOutputBuffer(it, name) }

        override fun close() = (inputs.values + outputs.values).forEach(TensorBuffer::close)

        private fun names(side: String) = described.getJSONObject(side).keys().asSequence().toList()
    }
}
