/**
 * Payloads compressed by zstd, between a gateway and this node. OpenSearch's transport knows
 * DEFLATE alone: {@code TransportDecompressor} has an {@code Inflater} in it, whatever is
 * registered as a compressor. So the payload stays uncompressed for the transport, and is
 * compressed inside.
 *
 * <pre>
 *   request   FF FF FF FF | zstd frame | int32 size of the payload      or, for a small payload,
 *             FF FF FF FF | payload | int32 0
 *   response  first 1024 bytes of the payload | zstd frame of the rest; a response header has the
 *             size. Without the header, and for failures: the payload
 * </pre>
 *
 * <p>No other payload of a request begins with these four bytes: each begins with the length of a
 * node's id. A node answers so only to requests that came so, and passes nothing of it on to other
 * nodes.
 */
@NullMarked
package dev.weir.node.compression;

import org.jspecify.annotations.NullMarked;
