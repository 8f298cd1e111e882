/**
 * Responses that consist of items, one for each document of a request: bulk and multi-get.
 *
 * <p>The write and get handlers of {@code actions} call it, on the request's event loop.
 */
@NullMarked
package dev.weir.core.reduce.items;

import org.jspecify.annotations.NullMarked;
