package dev.weir.node.codec;

/**
 * A dictionary and how good it was.
 *
 * @param bytes as zstd's trainer makes it
 * @param gain compressed bytes of documents that it was not trained on, of those without it: below
 *     1
 */
@SuppressWarnings("ArrayRecordComponent")
record TrainedDictionary(byte[] bytes, double gain) {}
