/**
 * Errors of the gateway as OpenSearch writes them: bodies, and the rejections for lack of memory.
 * Every package of this module and any module above it may use it. Values; safe on any thread.
 */
@NullMarked
package dev.weir.http.error;

import org.jspecify.annotations.NullMarked;
