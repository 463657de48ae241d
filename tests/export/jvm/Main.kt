/** Says of each text in a JSON list what the Kotlin client makes of it: `java MainKt model.tflite texts.json`. */

import com.google.ai.edge.litert.CompiledModel
import java.io.File
import java.util.zip.ZipFile
import org.json.JSONArray
import org.json.JSONObject
import translator.Translator

fun main(arguments: Array<String>) {
    val (model, texts) = arguments
    val about = ZipFile(model).use { file ->
        JSONObject(String(file.getInputStream(file.getEntry("model.json")).readBytes()))
    }
    Translator(CompiledModel.create(model), about).use { translator ->
        val given = JSONArray(File(texts).readText())
        for (index in 0 until given.length()) println(answer(translator, given.getString(index)))
    }
}

private fun answer(translator: Translator, text: String) = JSONObject()
    .put("translations", JSONArray(translator.translate(text).map {
        JSONArray(listOf(it.text, it.score, it.truncated, it.unknown))
    }))
    .put("stream", JSONArray(translator.stream(text).toList()))
