"""The four special ids at the beginning of every vocabulary."""

PAD_ID = 0
UNK_ID = 1
BOS_ID = 2
EOS_ID = 3
