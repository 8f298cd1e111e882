/**
 * Compression of payloads between the gateway and a node: DEFLATE, as all nodes know it, and zstd
 * with nodes that have Weir's plugin.
 *
 * <p>The layout with zstd is that of the plugin's package {@code dev.weir.node.compression}. The
 * frame is not marked as compressed for OpenSearch:
 *
 * <pre>
 *   request   FF FF FF FF | zstd frame | int32 size of the payload      or, for a small payload,
 *             FF FF FF FF | payload | int32 0
 *   response  first 1024 bytes of the payload | zstd frame of the rest; a response header has the
 *             size. Without the header, and for failures: the payload
 * </pre>
 */
@NullMarked
package dev.weir.protocol.compression;

import org.jspecify.annotations.NullMarked;
