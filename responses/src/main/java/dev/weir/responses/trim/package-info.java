/**
 * Leaves parts out of search responses ({@code trim=...}, rules, {@code filter_path}), and narrows
 * the requests to data nodes accordingly.
 *
 * <p>{@code actions} calls it through its interface {@code SearchTrimmer} on the request's event
 * loop; policies change on any thread.
 */
@NullMarked
package dev.weir.responses.trim;

import org.jspecify.annotations.NullMarked;
