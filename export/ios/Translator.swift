import Foundation
import TensorFlowLite

struct Translation: Sendable {
    let text: String
    let score: Float
    let truncated: Bool
    let unknown: Bool
}

/// An actor, so that it never runs on the main thread, nor on two at once.
actor Translator {
    private static let pad: Int32 = 0, bos: Int32 = 2, eos: Int32 = 3  // in every file
    private static let noTranslation: Float = -1e9  // the score where a beam ended with fewer translations than it has places

    private let tokenizeRunner: SignatureRunner
    private let detokenizeRunner: SignatureRunner
    private let translateRunner: SignatureRunner
    private let encodeRunner: SignatureRunner
    private let stepRunner: SignatureRunner

    /// `model` is the `model.tflite` that `keras-attn export` wrote.
    init(model: URL, threads: Int = 1) throws {
        var options = Interpreter.Options()
        options.threadCount = threads
        options.isXNNPackEnabled = true  // off by default; int8 is then several times slower, and other words win near ties
        let interpreter = try Interpreter(modelPath: model.path, options: options)
        tokenizeRunner = try interpreter.signatureRunner(with: "tokenize")
        detokenizeRunner = try interpreter.signatureRunner(with: "detokenize")
        translateRunner = try interpreter.signatureRunner(with: "translate_text")
        encodeRunner = try interpreter.signatureRunner(with: "encode")
        stepRunner = try interpreter.signatureRunner(with: "step")
        for runner in [tokenizeRunner, detokenizeRunner, translateRunner] { try runner.allocateTensors() }
    }

    /// Best first: one, or as many as the beam that was exported.
    func translate(_ text: String) throws -> [Translation] {
        try translateRunner.invoke(with: ["text": data(try bytes(text, of: translateRunner))])
        let codes: [Int32] = try read("text", of: translateRunner)
        let lengths: [Int32] = try read("lengths", of: translateRunner)
        let scores: [Float] = try read("scores", of: translateRunner)
        let truncated: [Int32] = try read("truncated", of: translateRunner)
        let unknown: [Int32] = try read("unknown", of: translateRunner)
        let width = codes.count / lengths.count
        return scores.indices.filter { scores[$0] > Self.noTranslation }.map { row in
            let said = codes[(row * width)..<(row * width + Int(lengths[row]))]
            return Translation(text: string(said), score: scores[row], truncated: truncated[0] != 0, unknown: unknown[0] != 0)
        }
    }

    /// Shows the translation by greedy search as it grows, word by word; the last one is complete. It knows neither
    /// `no_repeat_ngram` nor `keep_numbers`.
    func stream(_ text: String, show: @Sendable (String) -> Void) throws {
        try tokenizeRunner.invoke(with: ["text": data(try bytes(text, of: tokenizeRunner))])
        try encodeRunner.invoke(with: ["source": try tokenizeRunner.output(named: "ids").data])
        let limit: [Int32] = try read("limit", of: encodeRunner)
        var given: [String: Data] = [:]
        for name in encodeRunner.outputs where name != "truncated" && name != "limit" {
            given[name] = try encodeRunner.output(named: name).data
        }
        let states = given.keys.filter { $0.hasPrefix("state_") }
        var produced: [Int32] = []
        var token = Self.bos
        while produced.count < limit[0] {
            given["token"] = data([token])
            try stepRunner.invoke(with: given)
            token = best(try read("log_probs", of: stepRunner))
            if token == Self.eos { break }
            produced.append(token)
            for name in states { given[name] = try stepRunner.output(named: name).data }
            show(try joined(produced))
        }
    }

    /// The most probable token; PAD and BOS are never one.
    private func best(_ logProbs: [Float]) -> Int32 {
        var logProbs = logProbs
        for i in [Self.pad, Self.bos] { logProbs[Int(i)] = -.infinity }
        return Int32(logProbs.indices.max { logProbs[$0] < logProbs[$1] }!)
    }

    private func joined(_ ids: [Int32]) throws -> String {
        let places = try detokenizeRunner.input(named: "ids").shape.dimensions[1]
        try detokenizeRunner.invoke(with: ["ids": data(ids + Array(repeating: Self.pad, count: places - ids.count))])
        let codes: [Int32] = try read("text", of: detokenizeRunner)
        let length: [Int32] = try read("length", of: detokenizeRunner)
        return string(codes[..<Int(length[0])])
    }

    /// Bytes of UTF-8, then -1. A text that leaves no -1 counts as longer.
    private func bytes(_ text: String, of runner: SignatureRunner) throws -> [Int32] {
        let places = try runner.input(named: "text").shape.dimensions[1]
        let utf8 = text.utf8.prefix(places).map(Int32.init)
        return utf8 + Array(repeating: -1, count: places - utf8.count)
    }

    private func string(_ codes: ArraySlice<Int32>) -> String {
        String(decoding: codes.map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
            .replacingOccurrences(
                of: "[\\x{0}-\\x{1f}\\x{7f}-\\x{9f}\\x{2028}\\x{2029}]", with: " ", options: .regularExpression)
    }

    private func data(_ numbers: [Int32]) -> Data { numbers.withUnsafeBytes { Data($0) } }

    private func read<T>(_ name: String, of runner: SignatureRunner) throws -> [T] {
        try runner.output(named: name).data.withUnsafeBytes { Array($0.bindMemory(to: T.self)) }
    }
}
