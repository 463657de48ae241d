// What LiteRT.kt calls, with the code of the C++ client.

#include <jni.h>

#include "../../../export/cpp/translator.cpp"

namespace {

std::string string(JNIEnv* java, jstring text) {
  const char* codes = java->GetStringUTFChars(text, nullptr);
  std::string copied(codes);
  java->ReleaseStringUTFChars(text, codes);
  return copied;
}

Tensors tensors(JNIEnv* java, jobjectArray names, jlongArray handles) {
  std::vector<jlong> buffers(java->GetArrayLength(handles));
  java->GetLongArrayRegion(handles, 0, buffers.size(), buffers.data());
  Tensors found;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto name = static_cast<jstring>(java->GetObjectArrayElement(names, i));
    found[string(java, name)] = *reinterpret_cast<Tensor*>(buffers[i]);
    java->DeleteLocalRef(name);
  }
  return found;
}

// What `work` gives; an error of C++ becomes one of Java.
template <class Work> auto guarded(JNIEnv* java, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    java->ThrowNew(java->FindClass("java/lang/RuntimeException"), error.what());
    return decltype(work())();
  }
}

}  // namespace

#define NATIVE(result, name, ...) \
  extern "C" JNIEXPORT result JNICALL Java_com_google_ai_edge_litert_Native_##name(JNIEnv* java, jobject, __VA_ARGS__)

NATIVE(jlong, createModel, jstring path) {
  return guarded(java, [&] { return reinterpret_cast<jlong>(new Model(string(java, path))); });
}

NATIVE(void, destroyModel, jlong model) {
  (void)java;
  delete reinterpret_cast<Model*>(model);
}

NATIVE(jlong, createBuffer, jlong handle, jstring signature, jstring name, jboolean input) {
  return guarded(java, [&] {
    const Model& model = *reinterpret_cast<Model*>(handle);
    const auto made = model.tensors(model.number(string(java, signature)), input ? INPUTS : OUTPUTS);
    return reinterpret_cast<jlong>(new Tensor(made.at(string(java, name))));
  });
}

NATIVE(void, destroyBuffer, jlong buffer) {
  (void)java;
  delete reinterpret_cast<Tensor*>(buffer);
}

NATIVE(void, writeInt, jlong buffer, jintArray data) {
  guarded(java, [&] {
    const Tensor& tensor = *reinterpret_cast<Tensor*>(buffer);
    std::vector<jint> numbers(java->GetArrayLength(data));
    if (numbers.size() != tensor.size()) throw std::invalid_argument("another count of numbers than the tensor has");
    java->GetIntArrayRegion(data, 0, numbers.size(), numbers.data());
    tensor.write(numbers.data());
  });
}

NATIVE(jintArray, readInt, jlong buffer) {
  return guarded(java, [&] {
    const auto numbers = reinterpret_cast<Tensor*>(buffer)->read<jint>();
    const jintArray data = java->NewIntArray(numbers.size());
    java->SetIntArrayRegion(data, 0, numbers.size(), numbers.data());
    return data;
  });
}

NATIVE(jfloatArray, readFloat, jlong buffer) {
  return guarded(java, [&] {
    const auto numbers = reinterpret_cast<Tensor*>(buffer)->read<jfloat>();
    const jfloatArray data = java->NewFloatArray(numbers.size());
    java->SetFloatArrayRegion(data, 0, numbers.size(), numbers.data());
    return data;
  });
}

NATIVE(void, run, jlong handle, jstring signature, jobjectArray inputNames, jlongArray inputs, jobjectArray outputNames,
       jlongArray outputs) {
  guarded(java, [&] {
    const Model& model = *reinterpret_cast<Model*>(handle);
    model.run(model.number(string(java, signature)), tensors(java, inputNames, inputs), tensors(java, outputNames, outputs));
  });
}
