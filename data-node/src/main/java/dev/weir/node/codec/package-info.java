/**
 * The index codecs {@code weir_zstd} and {@code weir_zstd_32k}: stored fields compressed by zstd
 * with a dictionary trained on the shard's own documents; everything else of a segment is stock.
 *
 * <p>{@code ZstdCodecs} is what the plugin registers. {@code ZstdStoredFieldsFormat} says how the
 * files of a segment are laid out. Lucene's own chunked format writes and reads the chunks; what is
 * here are the dictionary, its file, and the compression of one chunk.
 */
@NullMarked
package dev.weir.node.codec;

import org.jspecify.annotations.NullMarked;
