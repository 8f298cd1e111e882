/**
 * Truncates values of keyword fields that are longer than an index accepts, before the write.
 *
 * <p>Called on the request's event loop.
 */
@NullMarked
package dev.weir.core.actions.truncate;

import org.jspecify.annotations.NullMarked;
