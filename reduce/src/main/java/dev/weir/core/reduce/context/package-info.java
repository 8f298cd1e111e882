/**
 * Search contexts that outlive a request: the pages of a scroll, and the rounds that close scrolls
 * and points in time or extend them.
 *
 * <p>{@code coordinate} drives them on the request's event loop.
 */
@NullMarked
package dev.weir.core.reduce.context;

import org.jspecify.annotations.NullMarked;
