/**
 * Compares the plugin's codec with the stock codecs of a node: bytes of stored fields, CPU of
 * loading, and time of random fetches. Runs on one thread.
 */
@NullMarked
package dev.weir.bench.codec;

import org.jspecify.annotations.NullMarked;
