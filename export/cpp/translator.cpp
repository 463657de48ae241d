// Translates the lines of standard input: ./translator model.tflite < in.txt > out.txt
// The file is one that `keras-attn export --format litert` wrote. It takes and gives text as its bytes in UTF-8: no tokenizer.

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// What is used of LiteRT's C API, as it is in 2.3; the Python package that the library comes in has no headers. 0 is success.
extern "C" {
int LiteRtCreateEnvironment(int option_count, const void* options, void** environment);
int LiteRtCreateModelFromFile(void* environment, const char* path, void** model);
int LiteRtCreateOptions(void** options);
int LiteRtSetOptionsHardwareAccelerators(void* options, int accelerators);
int LiteRtCreateCompiledModel(void* environment, void* model, void* options, void** compiled);
int LiteRtGetNumModelSignatures(void* model, size_t* count);
int LiteRtGetModelSignature(void* model, size_t index, void** signature);
int LiteRtGetSignatureKey(void* signature, const char** key);
int LiteRtGetNumSignatureInputs(void* signature, size_t* count);
int LiteRtGetNumSignatureOutputs(void* signature, size_t* count);
int LiteRtGetSignatureInputName(void* signature, size_t index, const char** name);
int LiteRtGetSignatureOutputName(void* signature, size_t index, const char** name);
int LiteRtGetSignatureInputTensorByIndex(void* signature, size_t index, void** tensor);
int LiteRtGetSignatureOutputTensorByIndex(void* signature, size_t index, void** tensor);
int LiteRtGetRankedTensorType(void* tensor, void* type);
int LiteRtGetCompiledModelInputBufferRequirements(void* compiled, size_t signature, size_t index, void** needs);
int LiteRtGetCompiledModelOutputBufferRequirements(void* compiled, size_t signature, size_t index, void** needs);
int LiteRtCreateManagedTensorBufferFromRequirements(void* environment, const void* type, void* needs, void** buffer);
int LiteRtGetTensorBufferPackedSize(void* buffer, size_t* bytes);
int LiteRtLockTensorBuffer(void* buffer, void** memory, int mode);
int LiteRtUnlockTensorBuffer(void* buffer);
int LiteRtRunCompiledModel(void* compiled, size_t signature, size_t inputs, void** input, size_t outputs, void** output);
void LiteRtDestroyEnvironment(void*);
void LiteRtDestroyModel(void*);
void LiteRtDestroyOptions(void*);
void LiteRtDestroyCompiledModel(void*);
void LiteRtDestroyTensorBuffer(void*);
}

using Handle = std::shared_ptr<void>;

void check(int status) {
  if (status != 0) throw std::runtime_error("LiteRT's status is " + std::to_string(status));
}

// What a function leaves where its last argument points.
template <class Result, class Function, class... Arguments> Result from(Function function, Arguments... arguments) {
  Result result{};
  check(function(arguments..., &result));
  return result;
}

struct Tensor {
  Handle buffer;

  template <class Number> std::vector<Number> read() const {
    std::vector<Number> numbers(size());
    std::memcpy(numbers.data(), locked(0), 4 * numbers.size());
    check(LiteRtUnlockTensorBuffer(buffer.get()));
    return numbers;
  }
  void write(const int* numbers) const {  // `size()` of them
    std::memcpy(locked(1), numbers, 4 * size());
    check(LiteRtUnlockTensorBuffer(buffer.get()));
  }
  size_t size() const { return from<size_t>(LiteRtGetTensorBufferPackedSize, buffer.get()) / 4; }  // every number has four bytes
  void* locked(int mode) const {
    void* memory = nullptr;
    check(LiteRtLockTensorBuffer(buffer.get(), &memory, mode));
    return memory;
  }
};

using Tensors = std::map<std::string, Tensor>;

struct Side {
  int (*count)(void*, size_t*), (*name)(void*, size_t, const char**);
  int (*tensor)(void*, size_t, void**), (*needs)(void*, size_t, size_t, void**);
};
const Side INPUTS{LiteRtGetNumSignatureInputs, LiteRtGetSignatureInputName, LiteRtGetSignatureInputTensorByIndex,
                  LiteRtGetCompiledModelInputBufferRequirements};
const Side OUTPUTS{LiteRtGetNumSignatureOutputs, LiteRtGetSignatureOutputName, LiteRtGetSignatureOutputTensorByIndex,
                   LiteRtGetCompiledModelOutputBufferRequirements};

// A file, and its signatures by their numbers.
struct Model {
  Handle environment, file, options, compiled;

  explicit Model(const std::string& path)
      : environment(from<void*>(LiteRtCreateEnvironment, 0, nullptr), LiteRtDestroyEnvironment),
        file(from<void*>(LiteRtCreateModelFromFile, environment.get(), path.c_str()), LiteRtDestroyModel),
        options(from<void*>(LiteRtCreateOptions), LiteRtDestroyOptions) {
    check(LiteRtSetOptionsHardwareAccelerators(options.get(), 1));  // the processor
    void* made = from<void*>(LiteRtCreateCompiledModel, environment.get(), file.get(), options.get());
    compiled = Handle(made, LiteRtDestroyCompiledModel);
  }

  size_t number(const std::string& name) const {
    const auto count = from<size_t>(LiteRtGetNumModelSignatures, file.get());
    for (size_t i = 0; i < count; ++i)
      if (name == from<const char*>(LiteRtGetSignatureKey, signature(i))) return i;
    throw std::runtime_error("the file has no signature " + name);
  }

  // New ones, by their names.
  Tensors tensors(size_t number, const Side& side) const {
    Tensors found;
    const auto all = names(number, side);
    for (size_t i = 0; i < all.size(); ++i) {
      alignas(8) unsigned char type[256];  // LiteRT 2.3 uses 72 bytes of it
      check(LiteRtGetRankedTensorType(from<void*>(side.tensor, signature(number), i), type));
      void* needs = from<void*>(side.needs, compiled.get(), number, i);
      void* made = from<void*>(LiteRtCreateManagedTensorBufferFromRequirements, environment.get(), type, needs);
      found[all[i]] = {Handle(made, LiteRtDestroyTensorBuffer)};
    }
    return found;
  }

  void run(size_t number, const Tensors& inputs, const Tensors& outputs) const {
    std::vector<void*> in, out;
    for (const auto& name : names(number, INPUTS)) in.push_back(inputs.at(name).buffer.get());
    for (const auto& name : names(number, OUTPUTS)) out.push_back(outputs.at(name).buffer.get());
    check(LiteRtRunCompiledModel(compiled.get(), number, in.size(), in.data(), out.size(), out.data()));
  }

 private:
  void* signature(size_t number) const { return from<void*>(LiteRtGetModelSignature, file.get(), number); }

  std::vector<std::string> names(size_t number, const Side& side) const {
    std::vector<std::string> found(from<size_t>(side.count, signature(number)));
    for (size_t i = 0; i < found.size(); ++i) found[i] = from<const char*>(side.name, signature(number), i);
    return found;
  }
};

struct Translation {
  std::string text;
  float score;              // log-probability, over the length penalty of the file
  bool truncated, unknown;  // the input was longer than the file takes; something in it is not in the vocabulary
};

// Control characters, which a stranger's file might tell a terminal, become spaces.
std::string line(std::string text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  for (size_t i = 0; i < text.size(); ++i) {
    size_t count = byte(i) < 0x20 || byte(i) == 0x7F;
    if (byte(i) == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0) count = 2;
    if (byte(i) == 0xE2 && byte(i + 1) == 0x80 && (byte(i + 2) | 1) == 0xA9) count = 3;
    if (count > 0) text.replace(i, count, " ");
  }
  return text;
}

// Not to be used by two threads at once.
class Translator {
 public:
  explicit Translator(const std::string& path)
      : model_(path), signature_(model_.number("translate_text")), inputs_(model_.tensors(signature_, INPUTS)),
        outputs_(model_.tensors(signature_, OUTPUTS)) {}

  // Best first: one, or as many as the beam that was exported.
  std::vector<Translation> translate(const std::string& text) const {
    std::vector<int> bytes(inputs_.at("text").size(), -1);  // a text that leaves no -1 counts as longer
    for (size_t i = 0; i < std::min(text.size(), bytes.size()); ++i) bytes[i] = static_cast<unsigned char>(text[i]);
    inputs_.at("text").write(bytes.data());
    model_.run(signature_, inputs_, outputs_);
    const auto codes = outputs_.at("text").read<int>(), lengths = outputs_.at("lengths").read<int>();
    const auto scores = outputs_.at("scores").read<float>();
    const bool truncated = outputs_.at("truncated").read<int>()[0], unknown = outputs_.at("unknown").read<int>()[0];
    std::vector<Translation> found;
    for (size_t row = 0; row < scores.size(); ++row) {
      const auto start = codes.begin() + row * (codes.size() / scores.size());
      if (scores[row] > -1e9f)  // the score where a beam ended with fewer translations than it has places
        found.push_back({line({start, start + lengths[row]}), scores[row], truncated, unknown});
    }
    return found;
  }

 private:
  Model model_;
  size_t signature_;
  Tensors inputs_, outputs_;
};

int main(int count, char** arguments) try {
  if (count != 2) throw std::invalid_argument("expected one argument, the .tflite");
  const Translator translator(arguments[1]);
  std::string text;
  for (size_t number = 1; std::getline(std::cin, text); ++number) {
    const Translation best = translator.translate(text).at(0);
    std::cout << best.text << std::endl;
    if (best.truncated) std::cerr << "Warning: line " << number << " is longer than the file takes; its end is missing\n";
    if (best.unknown) std::cerr << "Warning: line " << number << " has something that is not in the vocabulary\n";
  }
} catch (const std::exception& error) {
  std::cerr << "Error: " << error.what() << "\n";
  return 2;
}
