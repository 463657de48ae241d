// SentencePiece for Vocabulary.kt. Text crosses as UTF-8 bytes: JNI's own strings are no UTF-8 beyond U+FFFF, where emoji are.
#include <jni.h>
#include <sentencepiece_processor.h>

using sentencepiece::SentencePieceProcessor;

static SentencePieceProcessor* at(jlong handle) { return reinterpret_cast<SentencePieceProcessor*>(handle); }

static std::string bytes(JNIEnv* env, jbyteArray array) {
  std::string copy(env->GetArrayLength(array), '\0');
  env->GetByteArrayRegion(array, 0, copy.size(), reinterpret_cast<jbyte*>(copy.data()));
  return copy;
}

extern "C" JNIEXPORT jlong Java_translator_Vocabulary_open(JNIEnv* env, jobject, jbyteArray file) {
  auto* vocabulary = new SentencePieceProcessor;
  if (vocabulary->LoadFromSerializedProto(bytes(env, file)).ok()) return reinterpret_cast<jlong>(vocabulary);
  delete vocabulary;
  return 0;
}

extern "C" JNIEXPORT jintArray Java_translator_Vocabulary_ids(JNIEnv* env, jobject, jlong handle, jbyteArray text) {
  const std::vector<int> ids = at(handle)->EncodeAsIds(bytes(env, text));
  jintArray result = env->NewIntArray(ids.size());
  env->SetIntArrayRegion(result, 0, ids.size(), ids.data());
  return result;
}

extern "C" JNIEXPORT jbyteArray Java_translator_Vocabulary_text(JNIEnv* env, jobject, jlong handle, jintArray ids) {
  std::vector<int> copy(env->GetArrayLength(ids));
  env->GetIntArrayRegion(ids, 0, copy.size(), copy.data());
  const std::string text = at(handle)->DecodeIds(copy);
  jbyteArray result = env->NewByteArray(text.size());
  env->SetByteArrayRegion(result, 0, text.size(), reinterpret_cast<const jbyte*>(text.data()));
  return result;
}

extern "C" JNIEXPORT void Java_translator_Vocabulary_close(JNIEnv*, jobject, jlong handle) { delete at(handle); }
