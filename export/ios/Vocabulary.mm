#import "Vocabulary.h"

#include <sentencepiece_processor.h>

@implementation Vocabulary {
  sentencepiece::SentencePieceProcessor _processor;
}

- (instancetype)initWithFile:(NSString *)path {
  self = [super init];
  return self && _processor.Load(path.fileSystemRepresentation).ok() ? self : nil;
}

- (NSArray<NSNumber *> *)encode:(NSString *)text {
  NSData *bytes = [text dataUsingEncoding:NSUTF8StringEncoding allowLossyConversion:YES];
  NSMutableArray<NSNumber *> *ids = [NSMutableArray array];
  for (int i : _processor.EncodeAsIds(std::string(static_cast<const char *>(bytes.bytes), bytes.length))) {
    [ids addObject:@(i)];
  }
  return ids;
}

- (NSString *)decode:(NSArray<NSNumber *> *)ids {
  std::vector<int> copy;
  for (NSNumber *i in ids) copy.push_back(i.intValue);
  const std::string text = _processor.DecodeIds(copy);
  NSString *line = [[NSString alloc] initWithBytes:text.data() length:text.size() encoding:NSUTF8StringEncoding];
  return [line ?: @"" stringByReplacingOccurrencesOfString:@"\n" withString:@" "];
}

@end
