/** As much of LiteRT's Kotlin API as `export/android/Translator.kt` calls, on a desktop JVM: Google has it for Android alone. */

package com.google.ai.edge.litert

class TensorBuffer internal constructor(internal val handle: Long) : AutoCloseable {
    fun writeInt(data: IntArray) = Native.writeInt(handle, data)
    fun readInt(): IntArray = Native.readInt(handle)
    fun readFloat(): FloatArray = Native.readFloat(handle)
    override fun close() = Native.destroyBuffer(handle)
}

class CompiledModel private constructor(private val handle: Long) : AutoCloseable {
    fun createInputBuffer(inputName: String, signature: String) =
        TensorBuffer(Native.createBuffer(handle, signature, inputName, true))

    fun createOutputBuffer(outputName: String, signature: String) =
        TensorBuffer(Native.createBuffer(handle, signature, outputName, false))

    fun run(inputs: Map<String, TensorBuffer>, outputs: Map<String, TensorBuffer>, signature: String) =
        Native.run(handle, signature, names(inputs), handles(inputs), names(outputs), handles(outputs))

    override fun close() = Native.destroyModel(handle)

    private fun names(buffers: Map<String, TensorBuffer>) = buffers.keys.toTypedArray()
    private fun handles(buffers: Map<String, TensorBuffer>) = buffers.values.map { it.handle }.toLongArray()

    companion object {
        fun create(filePath: String) = CompiledModel(Native.createModel(filePath))
    }
}

/** Functions of `litert_jni.cpp`. */
internal object Native {
    init {
        System.loadLibrary("litert_jni")
    }

    external fun createModel(path: String): Long
    external fun destroyModel(model: Long)
    external fun createBuffer(model: Long, signature: String, name: String, input: Boolean): Long
    external fun destroyBuffer(buffer: Long)
    external fun writeInt(buffer: Long, data: IntArray)
    external fun readInt(buffer: Long): IntArray
    external fun readFloat(buffer: Long): FloatArray
    external fun run(
        model: Long,
        signature: String,
        inputNames: Array<String>,
        inputs: LongArray,
        outputNames: Array<String>,
        outputs: LongArray,
    )
}
