import Foundation
import TensorFlowLite

struct Translation: Sendable {
    let text: String
    let score: Float
    let truncated: Bool
}

/// An actor, so that it never runs on the main thread, nor on two at once.
actor Translator {
    private struct About: Decodable {
        struct Special: Decodable { let pad, bos, eos: Int32 }
        struct Vocabularies: Decodable { let source, target: String }
        struct Search: Decodable {
            let maxLengthFactor: Double
            let maxLengthExtra, maxSourceLength: Int
        }
        let specialIds: Special
        let vocabularies: Vocabularies
        let search: Search
        let sourceLength, maxLength: Int
    }

    private let about: About
    private let source: Vocabulary
    private let target: Vocabulary
    private let translateRunner: SignatureRunner
    private let encodeRunner: SignatureRunner
    private let stepRunner: SignatureRunner

    /// `folder` is what `keras-attn export` wrote.
    init(folder: URL, threads: Int = 1) throws {
        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        about = try decoder.decode(About.self, from: Data(contentsOf: folder.appendingPathComponent("model.json")))
        guard let source = Vocabulary(file: path(about.vocabularies.source)),
              let target = Vocabulary(file: path(about.vocabularies.target))
        else { throw CocoaError(.fileReadCorruptFile) }
        self.source = source
        self.target = target
        var options = Interpreter.Options()
        options.threadCount = threads
        options.isXNNPackEnabled = true  // off by default; int8 is then several times slower, and other words win near ties
        let interpreter = try Interpreter(modelPath: path("model.tflite"), options: options)
        translateRunner = try interpreter.signatureRunner(with: "translate")
        encodeRunner = try interpreter.signatureRunner(with: "encode")
        stepRunner = try interpreter.signatureRunner(with: "step")
    }

    /// Best first: one, or as many as the beam that was exported.
    func translate(_ text: String) throws -> [Translation] {
        try translateRunner.invoke(with: ["source": bytes(padded(encode(text)))])
        let ids: [Int32] = try read("ids", of: translateRunner)
        let lengths: [Int32] = try read("lengths", of: translateRunner)
        let scores: [Float] = try read("scores", of: translateRunner)
        let truncated: [Int32] = try read("truncated", of: translateRunner)
        let width = ids.count / lengths.count
        return lengths.indices.filter { $0 == 0 || lengths[$0] > 0 }.map { row in
            let best = ids[(row * width)..<(row * width + Int(lengths[row]))]
            return Translation(text: decode(Array(best)), score: scores[row], truncated: truncated[0] != 0)
        }
    }

    /// Shows the translation by greedy search as it grows, word by word; the last one is complete.
    func stream(_ text: String, show: @Sendable (String) -> Void) throws {
        let words = encode(text)
        try encodeRunner.invoke(with: ["source": bytes(padded(words))])
        var given: [String: Data] = [:]
        for name in encodeRunner.outputs where name != "truncated" {
            given[name] = try encodeRunner.output(named: name).data
        }
        let states = given.keys.filter { $0.hasPrefix("state_") }
        var produced: [Int32] = []
        var token = about.specialIds.bos
        while produced.count < limit(words.count) {
            given["token"] = bytes([token])
            try stepRunner.invoke(with: given)
            token = best(try read("log_probs", of: stepRunner))
            if token == about.specialIds.eos { break }
            produced.append(token)
            for name in states { given[name] = try stepRunner.output(named: name).data }
            show(decode(produced))
        }
    }

    /// The most probable token; PAD and BOS are never one.
    private func best(_ logProbs: [Float]) -> Int32 {
        var logProbs = logProbs
        for i in [about.specialIds.pad, about.specialIds.bos] { logProbs[Int(i)] = -.infinity }
        return Int32(logProbs.indices.max { logProbs[$0] < logProbs[$1] }!)
    }

    /// The file sees by the missing EOS that a sentence was cut.
    private func padded(_ words: [Int32]) -> [Int32] {
        let ids = Array((words + [about.specialIds.eos]).prefix(about.sourceLength))
        return ids + Array(repeating: about.specialIds.pad, count: about.sourceLength - ids.count)
    }

    private func limit(_ words: Int) -> Int {
        let read = min(words, about.search.maxSourceLength - 1)
        let limit = about.search.maxLengthFactor * Double(read) + Double(about.search.maxLengthExtra)
        return read == 0 ? 0 : min(Int(limit), about.maxLength)
    }

    private func encode(_ text: String) -> [Int32] { source.encode(text).map(\.int32Value) }

    private func decode(_ ids: [Int32]) -> String { target.decode(ids.map { NSNumber(value: $0) }) }

    private func bytes(_ ids: [Int32]) -> Data { ids.withUnsafeBytes { Data($0) } }

    private func read<T>(_ name: String, of runner: SignatureRunner) throws -> [T] {
        try runner.output(named: name).data.withUnsafeBytes { Array($0.bindMemory(to: T.self)) }
    }
}
