package translator

/** A SentencePiece model: text to ids and back. Normalisation is in the file. */
class Vocabulary(file: ByteArray) : AutoCloseable {
    private val handle = open(file).also { require(it != 0L) { "not a SentencePiece model" } }

    fun encode(text: String): IntArray = ids(handle, text.toByteArray())

    fun decode(ids: List<Int>): String = String(text(handle, ids.toIntArray())).replace("\n", " ")

    override fun close() = close(handle)

    private external fun open(file: ByteArray): Long
    private external fun ids(handle: Long, text: ByteArray): IntArray
    private external fun text(handle: Long, ids: IntArray): ByteArray
    private external fun close(handle: Long)

    private companion object {
        init { System.loadLibrary("vocabulary") }
    }
}
