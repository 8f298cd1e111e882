/**
 * Runs identical concurrent searches once and shares the response. Called on event loops; nothing
 * here blocks.
 */
@NullMarked
package dev.weir.gateway.coalesce;

import org.jspecify.annotations.NullMarked;
