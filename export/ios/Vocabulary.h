#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

/// A SentencePiece model: text to ids and back. Normalisation is in the file.
@interface Vocabulary : NSObject

- (nullable instancetype)initWithFile:(NSString *)path;
- (NSArray<NSNumber *> *)encode:(NSString *)text;
- (NSString *)decode:(NSArray<NSNumber *> *)ids;

@end

NS_ASSUME_NONNULL_END
